/** Records of the operators' part of the console. */

export type Named = { _id: string; name: string }

export type OpsNode = {
  id: string
  host: string
  pid: number
  started_at: string
  release: string | null
  leaving: boolean
  is_connected: boolean
  lease_age_s: number | null
  partitions: number
  backlog: number
  figures: Record<string, number> | null
  cpu: number | null
  per_second: number | null
}

export type OpsWarning = { level: 'bad' | 'wary'; title: string; advice: string; place: string | null }

export type HotProject = { project_id: string; project: string; company: string; per_second: number; share: number }

export type Sample = { at: string; values: Record<string, number>; hot: Record<string, number> }

export type Overview = {
  at: string
  nodes: OpsNode[]
  partitions: { total: number; owners: (number | null)[] }
  backlogs: Record<string, number>
  rates: Record<string, number>
  hot: HotProject[]
  warnings: OpsWarning[]
  samples: Sample[]
}

export type OpsChannel = Named & {
  channel_type: string
  provider: string
  project: Named
  company: Named
  is_active: boolean
  status: string
  status_reason: string | null
  updated_at: string
  waiting: number
  oldest_s: number
  last_error: { code: string; message: string } | null
  last_check: { at: string; by: string | null } | null
  sending: { paused_until: string | null; is_trying: boolean; running: number; unanswered_probes: number } | null
}

/** The progress of the import of the history of a phone. */
export type PhoneHistory = {
  status: string
  progress: number
  message_count: number
  waiting_count: number
}

export type OpsWebhook = {
  id: string
  name: string
  url: string
  project: Named
  company: Named
  disabled_reason: string
  failure_count: number
  last_delivery_at: string | null
  updated_at: string
}

export type OpsToken = Named & {
  prefix: string
  scopes: string[]
  project: Named
  company: Named
  user: { _id: string; full_name: string; is_active: boolean }
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  created_at: string
}

export type OpsUser = {
  _id: string
  full_name: string
  email: string
  company: Named
  permissions: string[]
  is_active: boolean
  has_password: boolean
  created_at: string
}

export type LetterGroup = {
  kind: string
  type: string | null
  count: number
  newest_at: string
  oldest_at: string
  error: string
}

export type Letter = {
  id: string
  parked_at: string
  kind: string
  address: string
  type: string | null
  sender: string | null
  error: string
}

export type LetterDetail = Letter & { partition: number; message: Record<string, unknown> }

export type AuditEntry = {
  _id: string
  created_at: string
  actor: { kind: string; id: string | null; name: string | null }
  address: string | null
  request_id: string | null
  action: string
  target: { kind: string; id: string | null }
  company_id: string | null
  project_id: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  erased_at: string | null
}

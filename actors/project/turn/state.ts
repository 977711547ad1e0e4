/** The state of a project actor that all features share, and its loading. `memory` has the parts of single features. */
import {
  Channel,
  type Database,
  lastDeliveryIds,
  listErasingProjects,
  listLiveTokens,
  type MonthlyCap,
  newDate,
  type OfficeHours,
  Project,
  type ProjectLimits,
  type RateCounts,
  RateWindow,
  readDeploymentsOf,
  readRows,
  Subscription,
  type TokenState,
} from '../../../storage/mod.ts'
import { matchedTypes } from '../../event_types/patterns.ts'
import type { ChannelType } from '../../message_types.ts'
import { Deployments } from './deployments.ts'
import type { Remembers } from './memory.ts'
import { freshCounts } from './rate_windows.ts'
import { type ProjectSubscription, Subscriptions } from './subscriptions.ts'

export type ProjectChannel = {
  id: string
  channel_type: ChannelType
  provider: string
  name: string
  is_active: boolean
  status: string
  /** `phone_number_id` on WhatsApp. */
  provider_account_id: string | null
  credentials: Record<string, string>
}

export type ProjectState = Remembers & {
  /** False for a project without a row: every token then counts as unknown. */
  exists: boolean
  project_id: string
  company_id: string
  limits: ProjectLimits
  /** The most that marketing may cost in a month. Null: no cap. */
  monthly_marketing_cap: MonthlyCap | null
  /** Minutes until visitors who have gone get by e-mail what is unread. Null: never. */
  unread_mail_minutes: number | null
  /** The hours in which people answer. Null: always. */
  office_hours: OfficeHours | null
  counts: RateCounts
  tokens: Map<string, TokenState>
  channels: Map<string, ProjectChannel>
  subscriptions: Subscriptions
  deployments: Deployments
  /** Seconds before each attempt at a delivery. */
  webhook_schedule: readonly number[]
  /** The address under which clients reach the API. */
  base_url: string
  /** The greatest delivery id so far, among deliveries whose order counts. */
  last_delivery_id: string
}

/** A project without a row. */
export function missingProject(project_id: string): ProjectState {
  return {
    exists: false,
    project_id,
    company_id: '',
    limits: { minute: 0, hour: 0, day: 0, ingest_minute: 0 },
    monthly_marketing_cap: null,
    unread_mail_minutes: null,
    office_hours: null,
    counts: freshCounts(),
    tokens: new Map(),
    channels: new Map(),
    subscriptions: new Subscriptions(),
    deployments: new Deployments(),
    webhook_schedule: [0],
    base_url: '',
    last_delivery_id: '',
    memory: new Map(),
  }
}

/** Loads projects that become active at the same moment. Projects without a row, and those being erased, are missing. */
export async function loadProjects(
  ids: string[],
  database: Database,
  settings: Pick<ProjectState, 'webhook_schedule' | 'base_url'>,
): Promise<Map<string, ProjectState>> {
  const [projects, tokens, channels, subscriptions, counts, deployments, erasing] = await Promise.all([
    readRows(database, Project, { _id: ids }),
    listLiveTokens(database, ids, newDate()),
    readRows(database, Channel, { project_id: ids }),
    readRows(database, Subscription, { project_id: ids, deleted_at: null }),
    readRows(database, RateWindow, { project_id: ids }),
    readDeploymentsOf(database, ids),
    listErasingProjects(database, ids),
  ])
  const states = new Map<string, ProjectState>()
  for (const project of projects) {
    if (erasing.includes(project._id)) continue
    states.set(project._id, {
      ...missingProject(project._id),
      exists: true,
      ...settings,
      company_id: project.company_id,
      limits: project.limits,
      monthly_marketing_cap: project.monthly_marketing_cap ?? null,
      unread_mail_minutes: project.unread_mail_minutes ?? null,
      office_hours: project.office_hours ?? null,
    })
  }
  for (const token of tokens) states.get(token.project_id)?.tokens.set(token.token_id, token)
  for (const channel of channels)
    states.get(channel.project_id)?.channels.set(channel._id, toChannel(channel, database))
  for (const row of subscriptions) states.get(row.project_id)?.subscriptions.set(row.id, toSubscription(row))
  for (const { project_id, assistant_id, rows, is_active } of deployments)
    states.get(project_id)?.deployments.set(assistant_id, rows, is_active)
  const ordered = subscriptions.filter(({ ordering }) => ordering !== 'none')
  for (const [project_id, id] of await lastDeliveryIds(database, ordered, ids)) {
    const state = states.get(project_id)
    if (state && id > state.last_delivery_id) state.last_delivery_id = id
  }
  for (const row of counts) {
    const state = states.get(row.project_id)
    if (state) state.counts = row.counts
  }
  return states
}

/** The channel as kept in memory, with decrypted credentials. */
export function toChannel(row: Channel, database: Database): ProjectChannel {
  const sealed = row.credentials
  return {
    id: row._id,
    channel_type: row.channel_type,
    provider: row.provider,
    name: row.name,
    is_active: row.is_active,
    status: row.status,
    provider_account_id: row.provider_account_id ?? null,
    credentials: sealed ? JSON.parse(database.vault.open(row._id, 'credentials', sealed)) : {},
  }
}

/** The subscription as kept in memory. */
export function toSubscription(
  row: Pick<Subscription, 'id' | 'events' | 'is_active' | 'ordering' | 'mode' | 'ed25519'>,
): ProjectSubscription {
  const { id, is_active, ordering, mode, ed25519 } = row
  return { id, events: matchedTypes(row.events), is_active, ordering, mode, ed25519 }
}

/** Webhook subscriptions and their deliveries, as the API answers them. Times are ISO 8601. */

export type Recovery = {
  since: string
  until: string
  status: 'running' | 'completed' | 'cancelled'
  /** Null until it is counted. */
  total: number | null
  requeued: number
  started_at: string
  completed_at: string | null
}

/** A public Ed25519 key. `valid_until` is null for the present one. */
export type SigningKey = { id: string; public_key: string; created_at: string; valid_until: string | null }

/** The settings that an agent may change. */
export type WebhookSettings = {
  name: string
  /** Null for a subscription that is polled. */
  url: string | null
  events: string[]
  payload: 'full' | 'thin'
  format: 'standard' | 'cloudevents'
  headers: Record<string, string>
  ordering: 'none' | 'subscription' | 'contact'
  concurrency: number
  ed25519: boolean
  disable_on_410: boolean
}

export type Webhook = WebhookSettings & {
  id: string
  mode: 'push' | 'poll'
  is_active: boolean
  secret_prefix: string
  previous_secret_until: string | null
  failure_count: number
  disabled_reason: string | null
  last_delivery_at: string | null
  /** Why the last attempt failed; null when it succeeded. */
  last_error: string | null
  recovery: Recovery | null
  created_at: string
  updated_at: string
}

/** Only creation and rotation answer with the secret. */
export type WebhookWithSecret = Webhook & { secret: string }

export type EventType = {
  type: string
  description: string
  schema: Record<string, unknown>
  example: Record<string, unknown>
}

export type DeliveryStatus = 'pending' | 'success' | 'failed' | 'dead'

export type Delivery = {
  id: string
  event_id: string
  event_type: string
  status: DeliveryStatus
  status_code: number | null
  attempts: number
  duration_ms: number | null
  last_error: string | null
  next_attempt_at: string | null
  delivered_at: string | null
  is_test: boolean
  created_at: string
}

export type Attempt = {
  attempt: number
  started_at: string
  status_code: number | null
  duration_ms: number
  error: string | null
  headers_sent: Record<string, string>
  excerpt: string | null
}

export type DeliveryWithAttempts = Delivery & { attempt_records: Attempt[] }

export type DeliveryFilter = { status?: DeliveryStatus | undefined; event_type?: string | undefined }

export type WebhookEvent = {
  id: string
  type: string
  created_at: string
  project_id: string
  data: Record<string, unknown>
}

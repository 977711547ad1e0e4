import type { WebhookFormat, WebhookMode, WebhookOrdering, WebhookPayload } from '../../../storage/mod.ts'

/** The fields of a subscription that clients set, and may change. */
export type WebhookFields = {
  name: string
  /** Not for polled subscriptions. */
  url: string
  /** Types and patterns. */
  events: string[]
  headers: Record<string, string>
  is_active: boolean
  ordering: WebhookOrdering
  concurrency: number
  payload: WebhookPayload
  format: WebhookFormat
  ed25519: boolean
  disable_on_410: boolean
}

/** The fields of a new one. */
export type NewWebhookFields = Omit<WebhookFields, 'url'> & { mode: WebhookMode; url?: string | undefined }

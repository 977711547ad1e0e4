import type * as v from 'valibot'
import type { WebhookMode } from '../../../storage/mod.ts'
import type { webhookFields } from '../../records/mod.ts'

/** The fields of a subscription that clients set, and may change. */
export type WebhookFields = v.InferOutput<typeof webhookFields> & {
  /** Not for polled subscriptions. */
  url: string
  /** Types and patterns. */
  events: string[]
  headers: Record<string, string>
}

/** The fields of a new one. */
export type NewWebhookFields = Omit<WebhookFields, 'url'> & { mode: WebhookMode; url?: string | undefined }

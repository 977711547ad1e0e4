import type { WebhookOrdering } from '../../../storage/mod.ts'

/** The fields of a subscription that clients set. */
export type WebhookFields = {
  name: string
  url: string
  events: string[]
  headers: Record<string, string>
  is_active: boolean
  ordering: WebhookOrdering
  concurrency: number
}

import type { WebhookOrdering } from '../../../storage/mod.ts'

/** What clients say of a subscription. */
export type WebhookFields = {
  name: string
  url: string
  events: string[]
  headers: Record<string, string>
  is_active: boolean
  ordering: WebhookOrdering
  concurrency: number
}

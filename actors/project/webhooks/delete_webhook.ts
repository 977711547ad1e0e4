import type { Command } from '../turn/feature.ts'
import { auditedWebhook, changeSubscription, findSubscription, subscriptionReads } from './subscription.ts'

export type DeleteWebhook = { type: 'delete_webhook'; id: string }

/** `DELETE /v1/webhooks/{id}`. The row stays, marked as deleted. */
export const deleteWebhook = {
  audit: auditedWebhook,
  reads(reads, { id }) {
    reads.of(subscriptionReads).add(id)
  },
  run(turn, { id }) {
    const row = findSubscription(turn, id)
    changeSubscription(turn, row, { deleted_at: turn.now, is_active: false })
    turn.state.subscriptions.delete(id)
    turn.records.of(subscriptionReads).delete(id)
    return {}
  },
} satisfies Command<DeleteWebhook>

import type { Command } from '../turn/feature.ts'
import { addressOf, findSubscription, mustBeActive, subscriptionReads } from './subscription.ts'

/** Sends everything again that failed for good between two moments (ISO 8601; the second one is now by default). */
export type RecoverWebhook = { type: 'recover_webhook'; id: string; since: string; until?: string | undefined }

/** `POST /v1/webhooks/{id}/recover`. */
export const recoverWebhook: Command<RecoverWebhook> = {
  reads(reads, { id }) {
    reads.of(subscriptionReads).add(id)
  },
  run(turn, { id, since, until }) {
    mustBeActive(findSubscription(turn, id))
    const range = { since, until: until ?? turn.now.toISOString() }
    turn.tell(addressOf(id), { type: 'recover', ...range })
    return { body: { accepted: true, ...range } }
  },
}

import type { Command } from '../turn/feature.ts'
import { addressOf, findSubscription, mustBeActive, mustBePushed, subscriptionReads } from './subscription.ts'

/** Resends all deliveries that failed for good between two times (ISO 8601; `until` defaults to now). */
export type RecoverWebhook = { type: 'recover_webhook'; id: string; since: string; until?: string | undefined }

/** `POST /v1/webhooks/{id}/recover`. */
export const recoverWebhook = {
  audit: { target: 'subscription' },
  reads(reads, { id }) {
    reads.of(subscriptionReads).add(id)
  },
  run(turn, { id, since, until }) {
    const row = findSubscription(turn, id)
    mustBePushed(row)
    mustBeActive(row)
    const range = { since, until: until ?? turn.now.toISOString() }
    turn.tell(addressOf(id), { type: 'recover', ...range })
    return { body: { accepted: true as const, ...range } }
  },
} satisfies Command<RecoverWebhook>

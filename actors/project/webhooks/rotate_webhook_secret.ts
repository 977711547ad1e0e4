import { toWebhookRecord } from '../../records/mod.ts'
import { makeSecret, secretPrefix } from '../../webhook/mod.ts'
import type { Command } from '../turn/feature.ts'
import { auditedWebhook, changeSubscription, findSubscription, subscriptionReads } from './subscription.ts'

/** `grace_s`: seconds for which the former secret signs, too; 0 or missing for none. */
export type RotateWebhookSecret = { type: 'rotate_webhook_secret'; id: string; grace_s?: number | undefined }

/** `POST /v1/webhooks/{id}/rotate-secret`. Only this answer shows the new secret. */
export const rotateWebhookSecret = {
  audit: auditedWebhook,
  answers_secret: true,
  reads(reads, { id }) {
    reads.of(subscriptionReads).add(id)
  },
  run(turn, { id, grace_s = 0 }, { database }) {
    const row = findSubscription(turn, id)
    const secret = makeSecret()
    const former = grace_s > 0 ? database.vault.open(id, 'secret', row.secret) : null
    changeSubscription(turn, row, {
      secret: database.vault.seal(id, 'secret', secret),
      secret_prefix: secretPrefix(secret),
      previous_secret: former === null ? null : database.vault.seal(id, 'previous_secret', former),
      previous_secret_until: former === null ? null : new Date(turn.now.getTime() + grace_s * 1000),
    })
    return { body: { ...toWebhookRecord(database, row), secret } }
  },
} satisfies Command<RotateWebhookSecret>

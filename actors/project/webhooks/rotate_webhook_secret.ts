import { toWebhookRecord } from '../../../storage/mod.ts'
import { makeSecret, secretPrefix } from '../../webhook/mod.ts'
import type { Command } from '../turn/feature.ts'
import { auditedWebhook, changeSubscription, findSubscription, subscriptionReads } from './subscription.ts'

export type RotateWebhookSecret = { type: 'rotate_webhook_secret'; id: string }

/** `POST /v1/webhooks/{id}/rotate-secret`. Only this answer shows the new secret. */
export const rotateWebhookSecret: Command<RotateWebhookSecret> = {
  audit: auditedWebhook,
  answers_secret: true,
  reads(reads, { id }) {
    reads.of(subscriptionReads).add(id)
  },
  run(turn, { id }, { database }) {
    const row = findSubscription(turn, id)
    const secret = makeSecret()
    changeSubscription(turn, row, {
      secret: database.vault.seal(id, 'secret', secret),
      secret_prefix: secretPrefix(secret),
    })
    return { body: { ...toWebhookRecord(database, row), secret } }
  },
}

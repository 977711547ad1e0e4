import { toWebhookKeyRecord, WebhookKey } from '../../../storage/mod.ts'
import type { Command } from '../turn/feature.ts'
import { addSigningKey, signingKeyReads } from './signing_keys.ts'
import { addressOf } from './subscription.ts'

/** `grace_s`: seconds for which the former key signs, too, and is published; 0 or missing for none. */
export type RotateSigningKey = { type: 'rotate_webhook_signing_key'; grace_s?: number | undefined }

/** `POST /v1/webhooks/signing-keys/rotate`. */
export const rotateSigningKey: Command<RotateSigningKey> = {
  audit: { target: 'webhook_key' },
  reads(reads) {
    reads.of(signingKeyReads).all = true
  },
  run(turn, { grace_s = 0 }, { database }) {
    const keys = turn.records.of(signingKeyReads)
    const valid_until = new Date(turn.now.getTime() + grace_s * 1000)
    for (const key of [...keys]) {
      if (key.valid_until === null && grace_s > 0) {
        key.valid_until = valid_until
        turn.update(WebhookKey, { id: key.id }, { valid_until })
      } else if (!key.valid_until || key.valid_until <= turn.now) {
        turn.remove(WebhookKey, { id: key.id })
      }
    }
    const added = addSigningKey(turn, database)
    for (const { id, ed25519 } of turn.state.subscriptions.values()) {
      if (ed25519) turn.tell(addressOf(id), { type: 'changed' })
    }
    return { body: toWebhookKeyRecord(added) }
  },
}

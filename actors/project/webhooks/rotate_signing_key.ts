import { WebhookKey } from '../../../storage/mod.ts'
import { toSigningKeyRecord } from '../../records/mod.ts'
import type { Command } from '../turn/feature.ts'
import { addSigningKey, signingKeyReads } from './signing_keys.ts'
import { addressOf } from './subscription.ts'

/** Each key signs every delivery. When there are more, the oldest ends before its grace does. */
const MAX_FORMER = 3

/**
 * `grace_s`: seconds for which the former key signs, too, and is published. 0 or missing ends all former keys, those in
 * an earlier grace included: any of them may be the one that leaked.
 */
export type RotateSigningKey = { type: 'rotate_webhook_signing_key'; grace_s?: number | undefined }

/** `POST /v1/webhooks/signing-keys/rotate`. */
export const rotateSigningKey = {
  audit: { target: 'webhook_key' },
  reads(reads) {
    reads.of(signingKeyReads).all = true
  },
  run(turn, { grace_s = 0 }, { database }) {
    const keys = turn.records.of(signingKeyReads)
    const valid_until = new Date(turn.now.getTime() + grace_s * 1000)
    let kept = 0
    for (const key of keys) {
      const is_over = key.valid_until != null && key.valid_until <= turn.now
      if (grace_s === 0 || is_over || kept >= MAX_FORMER) {
        turn.remove(WebhookKey, { id: key.id })
        continue
      }
      kept++
      if (key.valid_until != null) continue
      key.valid_until = valid_until
      turn.update(WebhookKey, { id: key.id }, { valid_until })
    }
    const added = addSigningKey(turn, database)
    for (const { id, ed25519 } of turn.state.subscriptions.values()) {
      if (ed25519) turn.tell(addressOf(id), { type: 'changed' })
    }
    return { body: toSigningKeyRecord(added) }
  },
} satisfies Command<RotateSigningKey>

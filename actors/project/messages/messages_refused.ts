import { stopMarketing } from '../contacts/consent.ts'
import { wantUser } from '../contacts/person_reads.ts'
import type { Receiver } from '../turn/feature.ts'
import { advance } from './advance.ts'
import type { RefusedMessage } from './outcomes.ts'
import { messageReads } from './reads.ts'

/** From the channel: the provider refused these messages for good. */
export const messagesRefused: Receiver<{ items: RefusedMessage[] }> = {
  reads(reads, { items }) {
    const { ids } = reads.of(messageReads)
    for (const { message_id, opted_out } of items) {
      ids.add(message_id)
      if (opted_out) wantUser(reads, 'whatsapp', opted_out, [])
    }
  },
  early: true,
  receive(turn, { items }) {
    const { rows } = turn.records.of(messageReads)
    for (const { message_id, error, at, opted_out, cause } of items) {
      turn.cause = cause
      const row = rows.get(message_id)
      if (!row) continue
      advance(turn, row, { to: 'failed', at: new Date(at), error })
      if (opted_out) stopMarketing(turn, row.chat_user, new Date(at))
    }
  },
}

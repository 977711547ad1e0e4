import type { Receiver } from '../turn/feature.ts'
import { advance } from './advance.ts'
import type { RefusedMessage } from './outcomes.ts'
import { messageReads } from './reads.ts'

/** From the channel: the provider refused these messages for good. */
export const messagesRefused: Receiver<{ items: RefusedMessage[] }> = {
  reads(reads, { items }) {
    const { ids } = reads.of(messageReads)
    for (const { message_id } of items) ids.add(message_id)
  },
  early: true,
  receive(turn, { items }) {
    const { rows } = turn.records.of(messageReads)
    for (const { message_id, error, at } of items) {
      const row = rows.get(message_id)
      if (row) advance(turn, row, { to: 'failed', at: new Date(at), error })
    }
  },
}

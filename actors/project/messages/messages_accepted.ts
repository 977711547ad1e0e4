import type { Receiver } from '../turn/feature.ts'
import { advance } from './advance.ts'
import { applyEarly, earlyStatusReads } from './early_statuses.ts'
import type { AcceptedMessage } from './outcomes.ts'
import { messageReads } from './reads.ts'
import { applyWatermarks } from './watermarks.ts'

/** From the channel: the provider accepted these messages. */
export const messagesAccepted: Receiver<{ items: AcceptedMessage[] }> = {
  reads(reads, { items }) {
    const { ids } = reads.of(messageReads)
    for (const { message_id, provider_message_id, early_statuses } of items) {
      ids.add(message_id)
      if (early_statuses !== false && provider_message_id !== '') reads.of(earlyStatusReads).add(provider_message_id)
    }
  },
  early: true,
  receive(turn, { items }) {
    const { rows } = turn.records.of(messageReads)
    for (const { message_id, provider_message_id, at, taken_after, confirmed } of items) {
      const row = rows.get(message_id)
      if (!row) continue
      advance(turn, row, { to: 'sent', at: new Date(at), provider_message_id, taken_after, confirmed })
      applyWatermarks(turn, row)
      applyEarly(turn, row)
    }
  },
}

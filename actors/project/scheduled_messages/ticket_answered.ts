import type { TicketAnswered } from '../tickets/inbox.ts'
import type { Receiver } from '../turn/feature.ts'
import { scheduledReads } from './reads.ts'
import { changeScheduled } from './write.ts'

/** From a timer that a message of the person has set: cancels what was scheduled for the case of no answer. */
export const ticketAnswered: Receiver<TicketAnswered> = {
  reads(reads, { ticket_id }) {
    reads.of(scheduledReads).answered.add(ticket_id)
  },
  receive(turn, { ticket_id, answered_at }) {
    for (const row of turn.records.of(scheduledReads).by_id.values()) {
      if (row.ticket_id !== ticket_id || row.status !== 'scheduled' || !row.cancel_if_answered) continue
      const updated_at = row.updated_at.getTime()
      // One that was scheduled since waits for another answer. A time to come is of before the clock was set back.
      if (updated_at > answered_at && updated_at <= turn.now.getTime()) continue
      changeScheduled(turn, row, { status: 'cancelled', cancelled_by: 'answer' })
    }
  },
}

import { ticketsOf, wantTickets } from '../tickets/reads.ts'
import { endSnooze, type SnoozeDue, setTimer } from '../tickets/snooze.ts'
import { recordEvent } from '../tickets/timeline.ts'
import type { Receiver } from '../turn/feature.ts'

/** From the timer: a ticket comes back to the list, at its top. */
export const snoozeDue: Receiver<SnoozeDue> = {
  reads(reads, { ticket_id }) {
    wantTickets(reads, ticket_id)
  },
  receive(turn, { ticket_id }) {
    const ticket = ticketsOf(turn).by_id.get(ticket_id)
    // Closed or ended meanwhile.
    if (!ticket?.snoozed_until) return
    // The clock was set back after the timer fired, which took the timer.
    if (ticket.snoozed_until > turn.now) return setTimer(turn, ticket_id, ticket.snoozed_until)
    endSnooze(turn, ticket, { reason: 'due' })
    recordEvent(turn, ticket, 'ticket.unsnoozed', { reason: 'due', user_id: null })
  },
}

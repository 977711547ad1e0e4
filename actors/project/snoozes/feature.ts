/** Agents put tickets aside. `tickets/snooze.ts` has the rules. */

import type { ActiveTicket } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import { ticketsOf, wantTickets } from '../tickets/reads.ts'
import { endSnooze, type SnoozeDue, setSnooze, setTimer, snoozeOf } from '../tickets/snooze.ts'
import { recordEvent } from '../tickets/timeline.ts'
import type { Command, Feature, Receiver } from '../turn/feature.ts'
import { mustBeAhead } from '../turn/future.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** From the timer: a ticket comes back to the list, at its top. */
const snoozeDue: Receiver<SnoozeDue> = {
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

/** `until`: ISO 8601; null until the person writes. */
type SnoozeTicket = { type: 'snooze_ticket'; id: string; until: string | null }

type EndSnooze = { type: 'end_snooze'; id: string }

/**
 * Snoozes an open ticket; one that is snoozed gets the new moment. Returns the snooze.
 * @throws {Refusal} NOT_FOUND, TICKET_CLOSED, VALIDATION_ERROR
 */
export const snoozeTicket = {
  reads(reads, { id }) {
    wantTickets(reads, id)
  },
  run(turn, { id, until }, { user_id }) {
    const ticket = ticketNamed(turn, id)
    if (ticket.is_closed) throw refuse('TICKET_CLOSED')
    const snoozed_until = until === null ? null : mustBeAhead('until', until, turn.now)
    if (ticket.snoozed_at && ticket.snoozed_until?.getTime() === snoozed_until?.getTime()) {
      return { body: snoozeOf(ticket) }
    }
    setSnooze(turn, ticket, { snoozed_at: turn.now, snoozed_until }, { reason: 'snoozed', user_id })
    recordEvent(turn, ticket, 'ticket.snoozed', { snoozed_until, user_id })
    return { body: snoozeOf(ticket) }
  },
} satisfies Command<SnoozeTicket>

/**
 * Ends a snooze. Returns what is left of it: nothing.
 * @throws {Refusal} NOT_FOUND
 */
const endSnoozeOfTicket = {
  reads(reads, { id }) {
    wantTickets(reads, id)
  },
  run(turn, { id }, { user_id }) {
    const ticket = ticketNamed(turn, id)
    if (ticket.snoozed_at) {
      endSnooze(turn, ticket, { reason: 'ended', user_id })
      recordEvent(turn, ticket, 'ticket.unsnoozed', { reason: 'ended', user_id })
    }
    return { body: snoozeOf(ticket) }
  },
} satisfies Command<EndSnooze>

function ticketNamed(turn: ProjectTurn, id: string): ActiveTicket {
  const ticket = ticketsOf(turn).by_id.get(id)
  if (!ticket) throw refuse('NOT_FOUND')
  return ticket
}

export const snoozes = {
  commands: { snooze_ticket: snoozeTicket, end_snooze: endSnoozeOfTicket },
  receivers: { snooze_due: snoozeDue },
} satisfies Feature

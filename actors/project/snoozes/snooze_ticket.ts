import type { ActiveTicket } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import { ticketsOf, wantTickets } from '../tickets/reads.ts'
import { endSnooze, setSnooze, snoozeOf } from '../tickets/snooze.ts'
import { recordEvent } from '../tickets/timeline.ts'
import type { Command } from '../turn/feature.ts'
import { mustBeAhead } from '../turn/future.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** `until`: ISO 8601; null until the person writes. */
export type SnoozeTicket = { type: 'snooze_ticket'; id: string; until: string | null }

export type EndSnooze = { type: 'end_snooze'; id: string }

/**
 * Snoozes an open ticket; one that is snoozed gets the new moment. Returns the snooze.
 * @throws {Refusal} NOT_FOUND, TICKET_CLOSED, VALIDATION_ERROR
 */
export const snoozeTicket: Command<SnoozeTicket> = {
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
}

/**
 * Ends a snooze. Returns what is left of it: nothing.
 * @throws {Refusal} NOT_FOUND
 */
export const endSnoozeOfTicket: Command<EndSnooze> = {
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
}

function ticketNamed(turn: ProjectTurn, id: string): ActiveTicket {
  const ticket = ticketsOf(turn).by_id.get(id)
  if (!ticket) throw refuse('NOT_FOUND')
  return ticket
}

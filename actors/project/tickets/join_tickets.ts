/** Open tickets of contacts that become one, of whom each may have one. */
import { type ActiveTicket, type Contact, InboxEntry, type MergeChanges, TicketActivity } from '../../../storage/mod.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { changeTicket } from './change_ticket.ts'
import { giveTicket } from './give_ticket.ts'
import { ticketsOf } from './reads.ts'

/**
 * Gives the open ticket of `former` to `survivor`. Where both have one, that of `former` is closed, and what waits in it waits
 * in the other one.
 */
export function joinTickets(turn: ProjectTurn, former: Contact, survivor: Contact): MergeChanges['closed'] {
  const { open } = ticketsOf(turn)
  const [ticket, other] = [open.get(former._id), open.get(survivor._id)]
  if (!ticket) return null
  if (!other) {
    giveTicket(turn, ticket, survivor)
    return null
  }
  const { unread_count, inbound_count, waiting_since } = ticket
  changeTicket(turn, ticket, { is_closed: true })
  giveTicket(turn, ticket, survivor)
  const before = other.waiting_since
  const waits = [before, waiting_since].filter((at) => at !== null)
  other.waiting_since = waits.length === 0 ? null : new Date(Math.min(...waits.map((at) => at.getTime())))
  count(turn, other, { unread_count, inbound_count })
  const waiting = { before: before?.toISOString() ?? null, after: other.waiting_since?.toISOString() ?? null }
  return { ticket_id: ticket._id, into: other._id, unread_count, inbound_count, waiting }
}

/** Takes back what `joinTickets` did, after the records of `former` are its own again. */
export function separateTickets(turn: ProjectTurn, closed: NonNullable<MergeChanges['closed']>): void {
  const { by_id, open } = ticketsOf(turn)
  const [ticket, other] = [by_id.get(closed.ticket_id), by_id.get(closed.into)]
  if (ticket?.is_closed && !open.has(ticket.chat_user)) changeTicket(turn, ticket, { is_closed: false })
  if (!other || other.is_closed) return
  const { before, after } = closed.waiting
  if ((other.waiting_since?.toISOString() ?? null) === after)
    other.waiting_since = before === null ? null : new Date(before)
  count(turn, other, { unread_count: -closed.unread_count, inbound_count: -closed.inbound_count })
}

function count(
  turn: ProjectTurn,
  ticket: ActiveTicket,
  more: Pick<ActiveTicket, 'unread_count' | 'inbound_count'>,
): void {
  ticket.unread_count = Math.max(0, ticket.unread_count + more.unread_count)
  ticket.inbound_count = Math.max(0, ticket.inbound_count + more.inbound_count)
  const { _id: ticket_id, unread_count, inbound_count, waiting_since, last_activity_at } = ticket
  turn.upsert(TicketActivity, { ticket_id, last_activity_at, unread_count, inbound_count, waiting_since })
  turn.update(InboxEntry, { ticket_id }, { inbound_count, waiting_since })
}

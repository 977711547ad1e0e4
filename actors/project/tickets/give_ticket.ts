import { type ActiveTicket, type Contact, Ticket } from '../../../storage/mod.ts'
import { contactReads } from '../contacts/reads.ts'
import { emit } from '../turn/events.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { changeTicket, recordOf } from './change_ticket.ts'
import { keepTicket, ticketsOf } from './reads.ts'

/** Gives a ticket to another contact. An open one is closed first where that contact has another open one. */
export function giveTicket(turn: ProjectTurn, ticket: ActiveTicket, contact: Contact): void {
  const tickets = ticketsOf(turn)
  const { chat_user: before } = ticket
  if (before === contact._id) return
  if (!ticket.is_closed && tickets.open.has(contact._id)) changeTicket(turn, ticket, { is_closed: true })
  if (tickets.open.get(before) === ticket) tickets.open.delete(before)
  turn.records.of(contactReads).open_tickets.delete(before)
  tickets.known.drop(ticket)
  const patch = { chat_user: contact._id, version: ticket.version + 1, updated_at: turn.now }
  Object.assign(ticket, patch)
  turn.update(Ticket, { _id: ticket._id }, patch)
  keepTicket(tickets, ticket)
  const data = { ticket: recordOf(turn, ticket), changed_fields: ['chat_user'], previous: { chat_user: before } }
  emit(turn, 'crm.ticket.updated', data, contact._id)
}

import { type ActiveTicket, readContactsOf, readTickets } from '../../../storage/mod.ts'
import { contactReads, keepContact } from '../contacts/reads.ts'
import { wantDefinitions } from '../definitions/reads.ts'
import { Memory } from '../turn/memory.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { OpenTickets } from './open_tickets.ts'

export type TicketRecords = {
  by_id: Map<string, ActiveTicket>
  /** Open tickets by the contact's id. */
  open: Map<string, ActiveTicket>
  /** Open tickets known from earlier turns. */
  known: OpenTickets
}

export const openTickets = new Memory<OpenTickets>(() => new OpenTickets())

/** Tickets by id, with their contacts. Includes the open tickets of contacts that the turn reads. */
export const ticketReads: ReadKind<Set<string>, TicketRecords> = {
  keys: () => new Set(),
  found: (state) => ({ by_id: new Map(), open: new Map(), known: openTickets.of(state) }),
  read(found, ids, { database, state: { project_id }, records }) {
    if (ids.size === 0) return undefined
    return Promise.all([readTickets(database, project_id, ids), readContactsOf(database, project_id, ids)]).then(
      ([tickets, contacts]) => {
        for (const contact of contacts) keepContact(records, contact)
        for (const ticket of tickets) keepTicket(found, ticket)
      },
    )
  },
  finish(found, _ids, { records }) {
    for (const ticket of records.of(contactReads).open_tickets.values()) keepTicket(found, ticket)
    return undefined
  },
}

/** Registers a ticket in the turn. The first row with an id stays, so that all readers share one object. */
export function keepTicket(records: TicketRecords, row: ActiveTicket): void {
  const ticket = records.by_id.get(row._id) ?? row
  records.by_id.set(ticket._id, ticket)
  if (!ticket.is_closed) {
    records.open.set(ticket.chat_user, ticket)
    records.known.keep(ticket)
  } else {
    if (records.open.get(ticket.chat_user) === ticket) records.open.delete(ticket.chat_user)
    records.known.drop(ticket)
  }
}

/** Call this for each message that changes or opens tickets. `id`: the ticket that the message names, if any. */
export function wantTickets(reads: Reads, id?: string): void {
  wantDefinitions(reads)
  const ids = reads.of(ticketReads)
  if (id !== undefined) ids.add(id)
}

/** The tickets, in a turn whose reads include some. */
export function ticketsOf({ records }: ProjectTurn): TicketRecords {
  const found = records.find(ticketReads)
  if (!found) throw new Error('the turn has not read the tickets it needs')
  return found
}

/** The records that a turn has in its hands. Nothing is read. */
import type { ActiveTicket, Appointment, Contact, KnowledgeNode, Message } from '../../../storage/mod.ts'
import { contactReads } from '../contacts/reads.ts'
import type { Definitions } from '../definitions/definitions.ts'
import { definitionReads, knownDefinitions } from '../definitions/reads.ts'
import { knowledgeReads } from '../knowledge/reads.ts'
import { messageReads } from '../messages/reads.ts'
import { appointmentReads } from '../scheduling/reads.ts'
import { openTickets, ticketReads } from '../tickets/reads.ts'
import type { ProjectTurn } from '../turn/turn.ts'

export class TurnView {
  readonly #turn: ProjectTurn
  #read_with_contacts: Map<string, ActiveTicket> | undefined

  constructor(turn: ProjectTurn) {
    this.#turn = turn
  }

  get now(): Date {
    return this.#turn.now
  }

  message(id: string): Message | undefined {
    return this.#turn.records.find(messageReads)?.rows.get(id)
  }

  contact(id: string): Contact | undefined {
    return this.#turn.records.find(contactReads)?.by_id.get(id)
  }

  knowledgeNode(id: string): KnowledgeNode | undefined {
    return this.#turn.records.find(knowledgeReads)?.by_id.get(id)
  }

  appointment(id: string): Appointment | undefined {
    return this.#turn.records.find(appointmentReads)?.by_id.get(id)
  }

  ticket(id: string): ActiveTicket | undefined {
    const { records } = this.#turn
    const read = records.find(ticketReads)?.by_id.get(id)
    if (read) return read
    this.#read_with_contacts ??= byId(records.find(contactReads)?.open_tickets.values())
    return this.#read_with_contacts.get(id)
  }

  /** The contact of a ticket; known for most open tickets, even when the turn has not read them. */
  contactOfTicket(id: string): string | undefined {
    return (this.ticket(id) ?? openTickets.of(this.#turn.state).withId(id))?.chat_user
  }

  /** The definitions that the turn has read, or else those in memory. */
  get definitions(): Definitions | undefined {
    const { records, state } = this.#turn
    return records.find(definitionReads)?.definitions ?? knownDefinitions.of(state).definitions
  }
}

function byId(tickets: Iterable<ActiveTicket> = []): Map<string, ActiveTicket> {
  const found = new Map<string, ActiveTicket>()
  for (const ticket of tickets) found.set(ticket._id, ticket)
  return found
}

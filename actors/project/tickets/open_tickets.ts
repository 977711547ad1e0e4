/**
 * Which ticket of this project is open for which contact, as far as its actor has seen. It alone opens and closes them, so
 * what it remembers is true as long as its state is: state is thrown away when a turn is undone or the project moves. An
 * event that changes no record needs nothing else, so most events read nothing.
 */
import type { ActiveTicket } from '../../../storage/mod.ts'

export type OpenTicket = Pick<ActiveTicket, '_id' | 'chat_user'>

/** Entries in memory per project and generation, two for each ticket: about 100 bytes each. */
const CAPACITY = 20_000

export class OpenTickets {
  /** Two generations: filling the young one drops the old one. By the ticket's id and by its contact's. */
  #young: Map<string, OpenTicket> | undefined
  #old: Map<string, OpenTicket> | undefined

  /** The ticket with this id, when it is known to be open. */
  withId(ticket_id: string): OpenTicket | undefined {
    const found = this.#get(ticket_id)
    return found?._id === ticket_id ? found : undefined
  }

  /** The open ticket of a contact, when it is known to have one. */
  of(contact_id: string): OpenTicket | undefined {
    const found = this.#get(contact_id)
    return found?.chat_user === contact_id ? found : undefined
  }

  #get(id: string): OpenTicket | undefined {
    const found = this.#young?.get(id)
    if (found) return found
    const old = this.#old?.get(id)
    if (old) this.#add(old)
    return old
  }

  keep({ _id, chat_user }: OpenTicket): void {
    if (this.#get(_id)?.chat_user !== chat_user) this.#add({ _id, chat_user })
  }

  #add(ticket: OpenTicket): void {
    this.#young ??= new Map()
    if (this.#young.size >= CAPACITY) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(ticket._id, ticket)
    this.#young.set(ticket.chat_user, ticket)
  }

  /** It is closed. */
  drop({ _id, chat_user }: OpenTicket): void {
    for (const generation of [this.#young, this.#old]) {
      generation?.delete(_id)
      // The contact may have another one by now.
      if (generation?.get(chat_user)?._id === _id) generation.delete(chat_user)
    }
  }
}

/**
 * Open tickets of this project in memory, by ticket and by contact. Only this actor opens and closes them, so entries
 * are true as long as its state is kept: the state is dropped when a turn is undone or the project moves. An event that
 * changes no record needs nothing else, so most events read nothing.
 */
import type { ActiveTicket } from '../../../storage/mod.ts'

export type OpenTicket = Pick<ActiveTicket, '_id' | 'chat_user'>

/** Entries in memory per project and generation, two for each ticket, about 100 bytes each. */
const CAPACITY = 20_000

export class OpenTickets {
  /** Two generations, keyed by the ticket's id and by its contact's: filling the young one drops the old one. */
  #young: Map<string, OpenTicket> | undefined
  #old: Map<string, OpenTicket> | undefined

  /** The ticket with this id, if it is known to be open. */
  withId(ticket_id: string): OpenTicket | undefined {
    const found = this.#get(ticket_id)
    return found?._id === ticket_id ? found : undefined
  }

  /** The open ticket of a contact, if one is known. */
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

  /** Removes a closed ticket. */
  drop({ _id, chat_user }: OpenTicket): void {
    for (const generation of [this.#young, this.#old]) {
      generation?.delete(_id)
      // The contact may have another open ticket by now.
      if (generation?.get(chat_user)?._id === _id) generation.delete(chat_user)
    }
  }
}

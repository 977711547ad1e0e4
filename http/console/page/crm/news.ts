/**
 * The changes of one commit, taken together: what they say of a ticket that has no row yet. The message of a new person
 * comes before the ticket that it opens, and the row is made of both. No DOM.
 */

import type { Change } from '../data/apply_event.ts'
import type { InboxRow } from '../records/inbox.ts'
import type { AnyRecord } from '../records/record.ts'
import { rowAfterContact, rowAfterMessage } from './rows.ts'

export class News {
  /** Tickets first: changes of messages and contacts find the row of a ticket that came with them. */
  changes: Change[]
  /** Contacts by id. */
  #contacts = new Map<string, AnyRecord>()
  /** Messages by the id of the contact. */
  #messages = new Map<string, AnyRecord[]>()
  /** Messages that a new row has taken in. */
  #message_ids = new Set<string>()

  constructor(changes: readonly Change[]) {
    this.changes = [...changes.filter(isOfTicket), ...changes.filter((change) => !isOfTicket(change))]
    for (const { kind, id, after, is_new, is_part } of changes) {
      if (!after || is_part) continue
      if (kind === 'contact') this.#contacts.set(id, after)
      if (kind === 'message' && is_new && after.message) {
        const messages = this.#messages.get(after.chat_user) ?? []
        this.#messages.set(after.chat_user, [...messages, after])
      }
    }
  }

  /**
   * The row with what the same commit says of its contact. `is_whole` when nothing is left to read, which only a new
   * ticket can be.
   *
   * @param row of the ticket alone
   */
  complete<Row extends InboxRow>(row: Row, is_new: boolean): { row: Row; is_whole: boolean } {
    const contact = this.#contacts.get(row.contact._id)
    const messages = this.#messages.get(row.contact._id) ?? []
    let next = row
    if (contact) {
      const { user_id } = contact
      next = { ...next, ...rowAfterContact(next, contact) }
      next.contact = { ...next.contact, user_id: user_id ?? next.contact.user_id }
    }
    for (const message of messages) {
      next = { ...next, ...rowAfterMessage(next, message, true) }
      this.#message_ids.add(message.id)
    }
    return { row: next, is_whole: is_new && contact !== undefined && messages.length > 0 }
  }

  /** True for a message that a new row has taken in. */
  isTold(message_id: string) {
    return this.#message_ids.has(message_id)
  }
}

/**
 * The people whose tickets moved since the list was last read: the first page has to reach so far to show each of them.
 * Beyond `most` they are not told apart.
 */
export class Moved {
  #contacts = new Set<string>()
  #most

  constructor(most: number) {
    this.#most = most
  }

  hear(changes: readonly Change[]) {
    for (const { kind, id, after } of changes) {
      if (this.#contacts.size > this.#most) return
      if (kind === 'ticket' || kind === 'message') this.#contacts.add(after?.chat_user ?? id)
    }
  }

  /** Their number, at most one more than `most`. Counting begins anew. */
  take() {
    const { size } = this.#contacts
    this.#contacts = new Set()
    return size
  }
}

function isOfTicket({ kind }: Change) {
  return kind === 'ticket'
}

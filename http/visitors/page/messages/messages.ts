/**
 * The messages that are known, in order and without duplicates. They are identified by their `ref`: they come live, and
 * again with each reading of the history, which is authoritative.
 */
import type { KeptMessage, Message, Status } from './message.ts'

export class Messages {
  #kept = new Map<string, KeptMessage>()
  #arrivals = 0

  get all() {
    return [...this.#kept.values()]
  }

  /** In order. Reactions are shown with their message. */
  get visible() {
    const messages = this.all.filter(({ message }) => message.type !== 'reaction')
    return messages.sort(inOrder)
  }

  /** Number of messages to the visitor that were not read. */
  get unread() {
    return this.all.filter((one) => isOurs(one) && one.message.type !== 'reaction' && one.status !== 'read').length
  }

  get isEmpty() {
    return this.#kept.size === 0
  }

  find(ref: string) {
    return this.#kept.get(ref)
  }

  /** Returns true for a message that was not known. The status of a message never goes back. */
  keep(message: Message) {
    const known = this.#kept.get(message.ref)
    const status = furthest(known?.status, message.status)
    const id = message.id ?? known?.id
    this.#kept.set(message.ref, { arrival: ++this.#arrivals, ...known, ...message, id, status })
    return !known
  }

  /** The visitor's messages until this time (ISO 8601) were read. */
  readUntil(at: string) {
    for (const one of this.all) if (!isOurs(one) && one.at <= at) one.status = 'read'
  }

  clear() {
    this.#kept.clear()
  }

  /** Messages to the visitor that have not come as far as this status. */
  before(status: Status) {
    return this.all.filter((one) => isOurs(one) && isBefore(one.status, status))
  }

  /** They have come as far as this status. */
  mark(messages: KeptMessage[], status: Status) {
    for (const one of messages) one.status = furthest(one.status, status)
  }
}

/** Stored messages are in the order of their ids, live as after a reload. A node of the release before names no ids. */
function inOrder(a: KeptMessage, b: KeptMessage) {
  if (a.id && b.id) return a.id < b.id ? -1 : 1
  return a.at < b.at ? -1 : a.at > b.at ? 1 : a.arrival - b.arrival
}

const ORDER: (Status | undefined)[] = ['queued', 'sent', 'delivered', 'read']

function isBefore(status: Status | undefined, other: Status | undefined) {
  return ORDER.indexOf(status ?? 'sent') < ORDER.indexOf(other)
}

function furthest(one: Status | undefined, other: Status | undefined) {
  return isBefore(one, other) ? other : one
}

function isOurs({ direction }: Message) {
  return direction === 'outbound'
}

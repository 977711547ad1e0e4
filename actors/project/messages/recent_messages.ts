/**
 * Outbound messages that were queued or changed a short time ago. The provider's answer and the first callbacks follow
 * within seconds and find their message here, so the turn reads nothing. Only the project actor changes messages that
 * it has just sent, so an entry is true as long as the actor's state is kept: the state is dropped when a turn is undone
 * or the project moves.
 *
 * All projects of a process share the bound, because any of them may send at the node's full speed.
 */
import type { Message } from '../../../storage/mod.ts'
import { Memory, type Remembers } from '../turn/memory.ts'

/** Entries of a generation, two for a message with a provider's id. */
const CAPACITY = 10_000
/** Maximum characters of a message as JSON. Larger ones are read. */
const MAX_SIZE = 2_000

type Entry = { owner: object; row: Message }

export class RecentMessages {
  readonly #capacity: number
  /** Two generations: filling the young one drops the old one. */
  #young = new Map<string, Entry>()
  #old = new Map<string, Entry>()

  constructor(capacity = CAPACITY) {
    this.#capacity = capacity
  }

  /** `key`: our id, or the `providerKey`. `owner`: the one that kept the message. */
  find(owner: object, key: string): Message | undefined {
    const entry = this.#young.get(key) ?? this.#old.get(key)
    return entry?.owner === owner ? entry.row : undefined
  }

  keep(owner: object, row: Message, keys: readonly string[]): void {
    const is_known = this.find(owner, row.id) === row
    if (!is_known && sizeOf(row) > MAX_SIZE) {
      for (const key of keys) for (const generation of [this.#young, this.#old]) generation.delete(key)
      return
    }
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young
      this.#young = new Map()
    }
    for (const key of keys) this.#young.set(key, { owner, row })
  }

  /** Removes the messages of these contacts. */
  forget(owner: object, contact_ids: ReadonlySet<string>): void {
    for (const generation of [this.#young, this.#old]) {
      for (const [key, entry] of generation) {
        if (entry.owner === owner && contact_ids.has(entry.row.chat_user ?? '')) generation.delete(key)
      }
    }
  }
}

function sizeOf({ message, meta_data, context }: Message): number {
  return JSON.stringify([message, meta_data, context]).length
}

const recent = new RecentMessages()

/** The recent messages of one state of a project. */
export class RecentMessagesOfProject {
  find(key: string): Message | undefined {
    return recent.find(this, key)
  }

  keep(row: Message, keys: readonly string[]): void {
    if (row.direction === 'outbound') recent.keep(this, row, keys)
  }

  forget(contact_ids: ReadonlySet<string>): void {
    recent.forget(this, contact_ids)
  }
}

const memory = new Memory(() => new RecentMessagesOfProject())

export function recentMessagesOf(state: Remembers): RecentMessagesOfProject {
  return memory.of(state)
}

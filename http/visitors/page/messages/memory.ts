/**
 * The chat's memory in the browser: the visitor's token, the messages that wait to be sent, whether sounds are muted. It
 * is the page's own storage, so each site has separate visitors. Without storage all of it lasts as long as the page.
 *
 * Each waiting message has an entry of its own, because several tabs write at once.
 */
import type { WaitingMessage } from './message.ts'

export class Memory {
  #key
  #storage

  constructor(key: string, storage: Storage = usableStorage()) {
    this.#key = key
    this.#storage = storage
  }

  get token() {
    return this.#storage.getItem(`${this.#key} token`) || undefined
  }

  set token(token) {
    this.#set('token', token)
  }

  /** Tokens of sessions that the visitor has left while there was no connection. */
  get left(): string[] {
    return JSON.parse(this.#storage.getItem(`${this.#key} left`) ?? '[]')
  }

  set left(tokens) {
    this.#set('left', tokens.length > 0 ? JSON.stringify(tokens) : undefined)
  }

  get is_muted() {
    return this.#storage.getItem(`${this.#key} muted`) !== null
  }

  set is_muted(is_muted) {
    this.#set('muted', is_muted ? 'yes' : undefined)
  }

  /** The messages that wait, in the order of their writing. */
  get waiting(): WaitingMessage[] {
    const prefix = `${this.#key} waiting `
    const found: WaitingMessage[] = []
    for (let index = 0; index < this.#storage.length; index++) {
      const name = this.#storage.key(index)
      if (!name?.startsWith(prefix)) continue
      try {
        found.push(JSON.parse(this.#storage.getItem(name) ?? ''))
      } catch {
        // Written by something else.
      }
    }
    return found.sort((one, other) => (one.at === other.at ? one.order - other.order : one.at < other.at ? -1 : 1))
  }

  keep(message: WaitingMessage) {
    this.#set(`waiting ${message.id}`, JSON.stringify(message))
  }

  drop(id: string) {
    this.#set(`waiting ${id}`, undefined)
  }

  #set(name: string, value: string | undefined) {
    try {
      if (value === undefined) this.#storage.removeItem(`${this.#key} ${name}`)
      else this.#storage.setItem(`${this.#key} ${name}`, value)
    } catch {
      // The storage is full.
    }
  }
}

function usableStorage(): Storage {
  try {
    const { localStorage } = globalThis
    localStorage.length
    return localStorage
  } catch {
    // Private windows and blocked storage.
    return transientStorage()
  }
}

function transientStorage(): Storage {
  const values = new Map<string, string>()
  return {
    get length() {
      return values.size
    },
    key: (index) => [...values.keys()][index] ?? null,
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void values.set(name, value),
    removeItem: (name) => void values.delete(name),
    clear: () => values.clear(),
  }
}

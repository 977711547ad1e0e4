/**
 * The messages of one user that are not sent yet, in the storage of the browser: a record each, so that tabs write beside
 * each other. No DOM.
 */
import type { KeptEntry } from './entry.ts'

const PLACE = 'parley console outbox'

export class KeptEntries {
  #storage
  #prefix

  constructor(storage: Storage, user_id: string) {
    this.#storage = storage
    this.#prefix = `${PLACE} ${user_id} `
  }

  /** All of the user, in their order. */
  all(): KeptEntry[] {
    const names = Array.from({ length: this.#storage.length }, (_, at) => this.#storage.key(at) ?? '')
    return names
      .filter((name) => name.startsWith(this.#prefix))
      .flatMap((name) => entryIn(this.#storage.getItem(name)) ?? [])
      .sort((one, other) => one.order - other.order)
  }

  /**
   * Keeps an entry in place of its former state. Storage that is full keeps nothing: then the entry lasts as long as the
   * page.
   */
  put(entry: KeptEntry) {
    try {
      this.#storage.setItem(this.#prefix + entry.client_id, JSON.stringify(entry))
    } catch {
      // The page asks before it is closed.
    }
  }

  remove(client_id: string) {
    this.#storage.removeItem(this.#prefix + client_id)
  }

  /**
   * The change of another tab. Undefined when it is not one of this user's entries; `entry` is null when it was removed.
   */
  changeIn({
    key,
    newValue,
  }: Pick<StorageEvent, 'key' | 'newValue'>): { client_id: string; entry: KeptEntry | null } | undefined {
    if (!key?.startsWith(this.#prefix)) return undefined
    return { client_id: key.slice(this.#prefix.length), entry: entryIn(newValue) }
  }
}

function entryIn(text: string | null): KeptEntry | null {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}

/** The storage of the browser; one that lasts as long as the page where the browser gives none. */
export function browserStorage() {
  try {
    return globalThis.localStorage ?? volatileStorage()
  } catch {
    return volatileStorage()
  }
}

function volatileStorage(): Storage {
  const values = new Map<string, string>()
  return {
    get length() {
      return values.size
    },
    key: (at) => [...values.keys()][at] ?? null,
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void values.set(name, value),
    removeItem: (name) => void values.delete(name),
    clear: () => values.clear(),
  }
}

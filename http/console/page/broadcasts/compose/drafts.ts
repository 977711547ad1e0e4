/**
 * Unsent compositions of an agent, kept in the browser for a week. A browser without storage keeps it until the page is
 * closed. No DOM.
 */

const DATABASE = 'parley console'
const STORE = 'drafts'
const KEPT_MS = 7 * 86_400_000

type Kept<Value> = { value: Value; at: number }

export class Drafts {
  #factory
  #opened: Promise<IDBDatabase> | undefined

  constructor(factory: IDBFactory | undefined = globalThis.indexedDB) {
    this.#factory = factory
  }

  /** Undefined without one. */
  async get<Value>(key: string): Promise<Value | undefined> {
    try {
      const kept = await this.#run<Kept<Value> | undefined>('readonly', (store) => store.get(key))
      if (!kept || Date.now() - kept.at > KEPT_MS) return undefined
      return kept.value
    } catch {
      return undefined
    }
  }

  async put(key: string, value: unknown) {
    try {
      await this.#run('readwrite', (store) => store.put({ value, at: Date.now() }, key))
    } catch {
      // Storage is blocked or full.
    }
  }

  async delete(key: string) {
    try {
      await this.#run('readwrite', (store) => store.delete(key))
    } catch {
      // There is none.
    }
  }

  async #run<Result>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<Result>): Promise<Result> {
    this.#opened ??= this.#open()
    const database = await this.#opened
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode)
      const request = act(transaction.objectStore(STORE))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
    })
  }

  #open(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
      if (!this.#factory) return reject(new Error('no storage'))
      const request = this.#factory.open(DATABASE, 1)
      request.onupgradeneeded = () => request.result.createObjectStore(STORE)
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  }
}

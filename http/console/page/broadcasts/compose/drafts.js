/**
 * Unsent compositions of an agent, kept in the browser for a week. A browser without storage keeps it until the page is
 * closed. No DOM.
 */

const DATABASE = 'parley console'
const STORE = 'drafts'
const KEPT_MS = 7 * 86_400_000

/** @typedef {{ value: any, at: number }} Kept */

export class Drafts {
  #factory
  /** @type {Promise<IDBDatabase> | undefined} */
  #opened

  /** @param {IDBFactory | undefined} [factory] */
  constructor(factory = globalThis.indexedDB) {
    this.#factory = factory
  }

  /**
   * Undefined without one.
   *
   * @param {string} key
   */
  async get(key) {
    try {
      /** @type {Kept | undefined} */
      const kept = await this.#run('readonly', (store) => store.get(key))
      if (!kept || Date.now() - kept.at > KEPT_MS) return undefined
      return kept.value
    } catch {
      return undefined
    }
  }

  /**
   * @param {string} key
   * @param {unknown} value
   */
  async put(key, value) {
    try {
      await this.#run('readwrite', (store) => store.put({ value, at: Date.now() }, key))
    } catch {
      // Storage is blocked or full.
    }
  }

  /** @param {string} key */
  async delete(key) {
    try {
      await this.#run('readwrite', (store) => store.delete(key))
    } catch {
      // There is none.
    }
  }

  /**
   * @param {IDBTransactionMode} mode
   * @param {(store: IDBObjectStore) => IDBRequest} act
   * @returns {Promise<any>}
   */
  async #run(mode, act) {
    this.#opened ??= this.#open()
    const database = await this.#opened
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode)
      const request = act(transaction.objectStore(STORE))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
    })
  }

  /** @returns {Promise<IDBDatabase>} */
  #open() {
    return new Promise((resolve, reject) => {
      if (!this.#factory) return reject(new Error('no storage'))
      const request = this.#factory.open(DATABASE, 1)
      request.onupgradeneeded = () => request.result.createObjectStore(STORE)
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  }
}

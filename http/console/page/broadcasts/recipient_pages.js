/** The recipients of a broadcast, one page at a time, in the order of the request. No DOM. */
import { faultOf } from '../data/errors.js'

/** @typedef {import('../../page_types/broadcast.ts').RecipientStatus} RecipientStatus */
/** @typedef {import('../../page_types/broadcast.ts').Recipient} Recipient */
/** @typedef {(query: import('../../page_types/broadcast.ts').RecipientQuery) => Promise<import('../../page_types/broadcast.ts').Page<Recipient>>} ReadPage */

/** Rows of a page. */
export const PAGE = 50

export class RecipientPages {
  /**
   * The last page stays visible while another one is loading.
   *
   * @type {'loading' | 'ready' | 'failed'}
   */
  state = 'loading'
  /** @type {import('../../page_types/fault.ts').Fault | null} */
  error = null
  /** @type {Recipient[]} */
  recipients = []
  /** @type {RecipientStatus | undefined} */
  status
  #read_page
  #changed
  /**
   * The cursor of each page up to this one; the next page's is unknown or null before it is read.
   *
   * @type {(string | undefined)[]}
   */
  #cursors = [undefined]
  /** @type {string | null} */
  #next = null
  #reads = 0

  /**
   * @param {ReadPage} readPage
   * @param {() => void} changed
   */
  constructor(readPage, changed) {
    this.#read_page = readPage
    this.#changed = changed
  }

  /** From 0. */
  get page() {
    return this.#cursors.length - 1
  }

  get hasNext() {
    return this.#next !== null
  }

  /**
   * Undefined shows all recipients.
   *
   * @param {RecipientStatus | undefined} status
   */
  show(status) {
    if (status === this.status && this.state !== 'failed') return
    this.status = status
    this.state = 'loading'
    this.error = null
    this.recipients = []
    this.#cursors = [undefined]
    this.#next = null
    return this.read()
  }

  next() {
    if (this.#next === null) return
    this.#cursors.push(this.#next)
    return this.#turn()
  }

  previous() {
    if (this.page === 0) return
    this.#cursors.pop()
    return this.#turn()
  }

  #turn() {
    this.#next = null
    this.state = 'loading'
    return this.read()
  }

  /** Reads this page again. */
  async read() {
    const read = ++this.#reads
    this.#changed()
    try {
      /** @type {import('../../page_types/broadcast.ts').Page<Recipient>} */
      const { data, next_cursor } = await this.#read_page({
        status: this.status,
        limit: PAGE,
        cursor: this.#cursors.at(-1),
      })
      if (read !== this.#reads) return
      this.state = 'ready'
      this.error = null
      this.recipients = data
      this.#next = next_cursor
    } catch (error) {
      if (read !== this.#reads) return
      if (this.state !== 'ready') {
        this.state = 'failed'
        this.error = faultOf(error)
        this.recipients = []
      }
    } finally {
      this.#changed()
    }
  }
}

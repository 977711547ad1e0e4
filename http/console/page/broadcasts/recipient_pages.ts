/** The recipients of a broadcast, one page at a time, in the order of the request. No DOM. */

import { faultOf } from '../data/errors.ts'
import type { Page, Recipient, RecipientQuery, RecipientStatus } from '../records/broadcast.ts'
import type { Fault } from '../records/fault.ts'

export type ReadPage = (query: RecipientQuery) => Promise<Page<Recipient>>

/** Rows of a page. */
export const PAGE = 50

export class RecipientPages {
  /** The last page stays visible while another one is loading. */
  state: 'loading' | 'ready' | 'failed' = 'loading'
  error: Fault | null = null
  recipients: Recipient[] = []
  status: RecipientStatus | undefined
  #read_page
  #changed
  /** The cursor of each page up to this one; the next page's is unknown or null before it is read. */
  #cursors: (string | undefined)[] = [undefined]
  #next: string | null = null
  #reads = 0

  constructor(readPage: ReadPage, changed: () => void) {
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

  /** Undefined shows all recipients. */
  show(status: RecipientStatus | undefined) {
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
      const { data, next_cursor }: Page<Recipient> = await this.#read_page({
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

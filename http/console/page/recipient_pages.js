/** The recipients of a broadcast, one page at a time, in the order of the request. No DOM. */

export const PAGE = 50

export class RecipientPages {
  /** `loading`, `ready` or `failed`. The last page stays visible while another one is loading. */
  state = 'loading'
  error = null
  recipients = []
  status
  #read_page
  #changed
  /** The cursor of each page up to this one; the next page's is unknown or null before it is read. */
  #cursors = [undefined]
  #next = null
  #reads = 0

  /** `readPage(query)` resolves to `{ data, next_cursor }`. */
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

  /** Undefined shows all recipients. */
  show(status) {
    if (status === this.status && this.state !== 'failed') return
    Object.assign(this, { status, state: 'loading', error: null, recipients: [] })
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
      const { data, next_cursor } = await this.#read_page({
        status: this.status,
        limit: PAGE,
        cursor: this.#cursors.at(-1),
      })
      if (read !== this.#reads) return
      Object.assign(this, { state: 'ready', error: null, recipients: data })
      this.#next = next_cursor
    } catch (error) {
      if (read !== this.#reads) return
      if (this.state !== 'ready') Object.assign(this, { state: 'failed', error, recipients: [] })
    } finally {
      this.#changed()
    }
  }
}

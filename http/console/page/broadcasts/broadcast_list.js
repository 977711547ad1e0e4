/** The broadcasts of a project that match a filter, newest first, page by page and live. No DOM. */
import { faultOf } from '../data/errors.js'

/** @typedef {import('../../page_types/broadcast.ts').Broadcast} Broadcast */
/** @typedef {import('../../page_types/fault.ts').Fault} Fault */

const PAGE = 25
/** Maximum page size of the API. */
const MOST = 200

export class BroadcastList {
  /**
   * `failed` only while there is nothing to show.
   *
   * @type {'loading' | 'ready' | 'failed'}
   */
  state = 'loading'
  /** @type {Fault | null} */
  error = null
  /** The list may be outdated, because the last reading failed. */
  is_stale = false
  is_loading_more = false
  /** @type {Fault | null} */
  more_error = null
  /** Scroll position when the list was left. */
  scrolled_to = 0
  #api
  #records
  #changed
  /** @type {string[]} */
  #ids = []
  /** @type {string | null} */
  #cursor = null
  #reads = 0

  /**
   * @param {{
   *   api: import('./broadcasts_api.js').BroadcastsApi
   *   records: import('./records.js').Records
   *   project_id: string
   *   filter: import('../../page_types/broadcast.ts').BroadcastFilter
   *   changed(): void
   * }} options
   */
  constructor({ api, records, project_id, filter, changed }) {
    this.#api = api
    this.#records = records
    this.#changed = changed
    this.project_id = project_id
    this.filter = filter
  }

  get broadcasts() {
    return this.#ids.flatMap((id) => this.#records.get(id) ?? [])
  }

  get hasMore() {
    return this.#cursor !== null
  }

  /** Reads the displayed rows again, from the top. They stay visible until the answer arrives. */
  async read() {
    const read = ++this.#reads
    const wanted = Math.max(PAGE, this.#ids.length)
    try {
      /** @type {Broadcast[]} */
      const found = []
      /** @type {string | null | undefined} */
      let cursor
      do {
        /** @type {import('../../page_types/broadcast.ts').Page<Broadcast>} */
        const page = await this.#page(Math.min(MOST, wanted - found.length), cursor)
        if (read !== this.#reads) return
        found.push(...page.data)
        cursor = page.next_cursor
      } while (cursor !== null && found.length < wanted)
      for (const record of found) this.#records.keep(record)
      const [first] = found
      const newer = this.#ids.filter((id) => !first || id > first.id)
      this.#ids = [...newer, ...found.map(({ id }) => id)].filter((id) => this.#fits(this.#records.get(id)))
      this.#cursor = cursor
      this.state = 'ready'
      this.error = null
      this.is_stale = false
    } catch (error) {
      if (read !== this.#reads) return
      this.is_stale = true
      if (this.state !== 'ready') {
        this.state = 'failed'
        this.error = faultOf(error)
      }
    } finally {
      this.#changed()
    }
  }

  /** Retries after a displayed failure. */
  retry() {
    this.state = 'loading'
    this.error = null
    this.#changed()
    return this.read()
  }

  async readMore() {
    if (this.#cursor === null || this.is_loading_more) return
    const read = this.#reads
    this.is_loading_more = true
    this.more_error = null
    this.#changed()
    try {
      const { data, next_cursor } = await this.#page(PAGE, this.#cursor)
      // The whole list was read anew meanwhile.
      if (read !== this.#reads) return
      const known = new Set(this.#ids)
      for (const record of data) this.#records.keep(record)
      this.#ids.push(...data.map(({ id }) => id).filter((id) => !known.has(id)))
      this.#cursor = next_cursor
    } catch (error) {
      this.more_error = faultOf(error)
    } finally {
      this.is_loading_more = false
      this.#changed()
    }
  }

  /**
   * A changed record. A new one is inserted at its place; one that no longer matches is removed.
   *
   * @param {Broadcast} record
   */
  hear(record) {
    const at = this.#ids.indexOf(record.id)
    if (!this.#fits(record)) {
      if (at >= 0) this.#ids.splice(at, 1)
      return
    }
    if (at >= 0) return
    const before = this.#ids.findIndex((id) => id < record.id)
    if (before >= 0) this.#ids.splice(before, 0, record.id)
    // Older than all displayed rows: a later page has it, if there is one.
    else if (this.#cursor === null) this.#ids.push(record.id)
  }

  /**
   * @param {number} limit
   * @param {string | null | undefined} cursor
   */
  #page(limit, cursor) {
    return this.#api.list({ ...this.filter, limit, cursor })
  }

  /** @param {Broadcast | undefined} record */
  #fits(record) {
    if (record === undefined) return false
    const { status, search } = this.filter
    const names = `${record.campaign_name ?? ''}\n${record.template_name}`.toLowerCase()
    return (!status || record.status === status) && (!search || names.includes(search.toLowerCase()))
  }
}

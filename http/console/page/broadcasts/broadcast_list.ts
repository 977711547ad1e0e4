/** The broadcasts of a project that match a filter, newest first, page by page and live. No DOM. */

import { faultOf } from '../data/errors.ts'
import type { Broadcast, BroadcastFilter, Page } from '../records/broadcast.ts'
import type { Fault } from '../records/fault.ts'
import type { BroadcastsApi } from './broadcasts_api.ts'
import type { Records } from './records.ts'

const PAGE = 25
/** Maximum page size of the API. */
const MAX = 200

export class BroadcastList {
  readonly project_id: string
  readonly filter: BroadcastFilter

  /** `failed` only while there is nothing to show. */
  state: 'loading' | 'ready' | 'failed' = 'loading'
  error: Fault | null = null
  /** The list may be outdated, because the last reading failed. */
  is_stale = false
  is_loading_more = false
  more_error: Fault | null = null
  /** Scroll position when the list was left. */
  scrolled_to = 0
  #api
  #records
  #changed
  #ids: string[] = []
  #cursor: string | null = null
  #reads = 0

  constructor({
    api,
    records,
    project_id,
    filter,
    changed,
  }: {
    api: BroadcastsApi
    records: Records
    project_id: string
    filter: BroadcastFilter
    changed(): void
  }) {
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
    const size = Math.max(PAGE, this.#ids.length)
    try {
      const found: Broadcast[] = []
      let cursor: string | null | undefined
      do {
        const page: Page<Broadcast> = await this.#page(Math.min(MAX, size - found.length), cursor)
        if (read !== this.#reads) return
        found.push(...page.data)
        cursor = page.next_cursor
      } while (cursor !== null && found.length < size)
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

  /** A changed record. A new one is inserted at its place; one that no longer matches is removed. */
  hear(record: Broadcast) {
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

  #page(limit: number, cursor: string | null | undefined) {
    return this.#api.list({ ...this.filter, limit, cursor })
  }

  #fits(record: Broadcast | undefined) {
    if (record === undefined) return false
    const { status, search } = this.filter
    const names = `${record.campaign_name ?? ''}\n${record.template_name}`.toLowerCase()
    return (!status || record.status === status) && (!search || names.includes(search.toLowerCase()))
  }
}

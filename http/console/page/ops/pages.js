/** A list that is read page by page, for as long as its view is shown. No DOM. */
import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { faultOf } from '../data/errors.js'

/** @typedef {import('../../page_types/fault.ts').Fault} Fault */
/** @typedef {import('../data/project_api.js').Query} Query */

/** Rows that a page keeps: beyond it a filter is the better way. */
const MAX_ROWS = 1000

/** @template Row */
export class Pages {
  /** Null until the first page. */
  rows = signal(/** @type {readonly Row[] | null} */ (null))
  fault = signal(/** @type {Fault | null} */ (null))
  is_busy = signal(false)
  has_more = signal(false)
  #read
  /** @type {string | null} */
  #cursor = null
  #reads = 0

  /** @param {(cursor: string | undefined) => Promise<{ data: Row[], next_cursor: string | null }>} read */
  constructor(read) {
    this.#read = read
  }

  /** Reads the first page again. The rows stay visible meanwhile. */
  async read() {
    await this.#page(undefined, () => [])
  }

  async more() {
    if (this.is_busy.value || this.#cursor === null) return
    await this.#page(this.#cursor, () => this.rows.value ?? [])
  }

  /**
   * Changes one row in place; without a new one it goes.
   *
   * @param {(row: Row) => boolean} is_meant
   * @param {Row} [now]
   */
  put(is_meant, now) {
    this.rows.value = (this.rows.value ?? []).flatMap((row) => (is_meant(row) ? (now ? [now] : []) : [row]))
  }

  close() {
    this.#reads++
  }

  /**
   * @param {string | undefined} cursor
   * @param {() => readonly Row[]} before
   */
  async #page(cursor, before) {
    const read = ++this.#reads
    this.is_busy.value = true
    try {
      const { data, next_cursor } = await this.#read(cursor)
      if (read !== this.#reads) return
      this.rows.value = [...before(), ...data]
      this.#cursor = next_cursor
      this.has_more.value = next_cursor !== null && this.rows.value.length < MAX_ROWS
      this.fault.value = null
    } catch (error) {
      if (read !== this.#reads) return
      this.fault.value = faultOf(error)
    }
    this.is_busy.value = false
  }
}

/**
 * The list at a path, read anew when the query changes.
 *
 * @param {import('../data/api.js').Api} api
 * @param {string} path
 * @param {Query} query
 * @returns {Pages<any>}
 */
export function usePages(api, path, query) {
  const where = JSON.stringify([path, query])
  const pages = useMemo(
    () => new Pages((cursor) => api.request('GET', path, { query: { limit: 50, ...query, cursor } })),
    [api, where],
  )
  useEffect(() => {
    void pages.read()
    return () => pages.close()
  }, [pages])
  return pages
}

/** A list that is read page by page, for as long as its view is shown. No DOM. */

import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Api } from '../data/api.ts'
import { faultOf } from '../data/errors.ts'
import type { Query } from '../data/query.ts'
import type { Fault } from '../records/fault.ts'

/** Rows that a page keeps: beyond it a filter is the better way. */
const MAX_ROWS = 1000

export class Pages<Row> {
  /** Null until the first page. */
  rows = signal<readonly Row[] | null>(null)
  fault = signal<Fault | null>(null)
  is_busy = signal(false)
  has_more = signal(false)
  #read
  #cursor: string | null = null
  #reads = 0

  constructor(read: (cursor: string | undefined) => Promise<{ data: Row[]; next_cursor: string | null }>) {
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

  /** Changes one row in place; without a new one it goes. */
  put(is_meant: (row: Row) => boolean, now?: Row) {
    this.rows.value = (this.rows.value ?? []).flatMap((row) => (is_meant(row) ? (now ? [now] : []) : [row]))
  }

  close() {
    this.#reads++
  }

  async #page(cursor: string | undefined, before: () => readonly Row[]) {
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

/** The list at a path, read anew when the query changes. */
export function usePages<Row>(api: Api, path: string, query: Query): Pages<Row> {
  const where = JSON.stringify([path, query])
  const pages = useMemo(
    () => new Pages<Row>((cursor) => api.request('GET', path, { query: { limit: 50, ...query, cursor } })),
    [api, where],
  )
  useEffect(() => {
    void pages.read()
    return () => pages.close()
  }, [pages])
  return pages
}

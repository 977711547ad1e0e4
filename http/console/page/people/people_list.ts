/**
 * A list of contacts or customers of any length: the pages in view are read, and a few others are kept. No DOM.
 *
 * The total is known from the first page, so the list scrolls to any place at once. Records that were read are among those
 * of the project, and change with live events.
 */

import { signal } from '@preact/signals'
import { faultOf } from '../data/errors.ts'
import type { Project } from '../data/project.ts'
import type { Fault } from '../records/fault.ts'
import type { AnyRecord } from '../records/record.ts'
import type { Kind, PeopleFilter } from './places.ts'

const PAGE = 50
/** Pages that are kept. */
const MAX_PAGES = 12
const AGAIN_EVERY_MS = 2_000

export class PeopleList {
  readonly kind: Kind
  readonly filter: PeopleFilter

  /** `failed` only while there is nothing to show. */
  state = signal<'loading' | 'ready' | 'failed'>('loading')
  fault = signal<Fault | null>(null)
  total = signal(0)
  /** The ids of the pages that are known, by the number of the page. */
  pages = signal<ReadonlyMap<number, readonly string[]>>(new Map())
  is_stale = false
  /** Scroll position when the list was left. */
  scrolled_to = 0
  #project
  #reads = 0
  /** Pages that are being read. */
  #reading = new Set<number>()
  #range = { first: 0, end: 1 }
  #timer: number | undefined

  constructor(project: Pick<Project, 'api' | 'records'>, kind: Kind, filter: PeopleFilter) {
    this.#project = project
    this.kind = kind
    this.filter = filter
  }

  /** The id of the record at a place of the list; undefined while it is not read. */
  idAt(at: number) {
    return this.pages.value.get(Math.floor(at / PAGE))?.[at % PAGE]
  }

  /**
   * Reads what is missing of the places in view.
   *
   * @param end the place after the last
   */
  need(first: number, end: number) {
    this.#range = { first, end }
    for (const page of this.#pagesInView()) {
      if (!this.pages.peek().has(page) && !this.#reading.has(page)) void this.#read(page)
    }
  }

  /** Reads the places in view again. They stay until the answer comes. */
  async read() {
    this.#reads++
    this.#reading.clear()
    this.is_stale = false
    await Promise.all(this.#pagesInView().map((page) => this.#read(page, true)))
  }

  /** Retries after a displayed failure. */
  retry() {
    this.state.value = 'loading'
    this.fault.value = null
    return this.read()
  }

  /** Reads the places in view again, at most once in a while. */
  readSoon() {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.read()
    }, AGAIN_EVERY_MS)
  }

  close() {
    this.#reads++
    clearTimeout(this.#timer)
  }

  #pagesInView() {
    const { first, end } = this.#range
    const from = Math.floor(first / PAGE)
    const to = Math.floor(Math.max(first, end - 1) / PAGE)
    return Array.from({ length: to - from + 1 }, (_, n) => from + n)
  }

  /** @param is_again the pages that are not read again are forgotten */
  async #read(page: number, is_again: boolean = false) {
    const read = this.#reads
    this.#reading.add(page)
    const path = this.kind === 'contact' ? 'contacts' : 'crm/customers'
    try {
      const { data, total } = await this.#project.api.get(path, { ...this.filter, limit: PAGE, offset: page * PAGE })
      if (read !== this.#reads) return
      for (const record of data) this.#project.records.keep(this.kind, record)
      const known = is_again
        ? [...this.pages.peek()].filter(([one]) => this.#pagesInView().includes(one))
        : [...this.pages.peek()]
      const pages = new Map(known.slice(-MAX_PAGES))
      pages.delete(page)
      pages.set(
        page,
        data.map(({ _id }: AnyRecord) => _id),
      )
      this.pages.value = pages
      this.total.value = total
      this.state.value = 'ready'
      this.fault.value = null
    } catch (error) {
      if (read !== this.#reads) return
      this.is_stale = true
      if (this.state.peek() === 'ready') return
      this.state.value = 'failed'
      this.fault.value = faultOf(error)
    } finally {
      if (read === this.#reads) this.#reading.delete(page)
    }
  }
}

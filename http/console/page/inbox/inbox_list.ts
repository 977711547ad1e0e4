/**
 * The tickets of a view, in order, page by page and live. No DOM.
 *
 * A row is a signal of its own: a changed row is drawn again, and the list only when its order changes. Events change the
 * rows that are known. New tickets come into the list with what their commit says of them. Others without a row are read: the
 * first page again, at most once in a while and as far as tickets moved, however many events there are. One file: pages, events
 * and reads change the same rows.
 */

import { batch, type Signal, signal } from '@preact/signals'
import { Moved, News } from '../crm/news.ts'
import {
  certainOf,
  fits,
  isOlder,
  nameOfStage,
  orderOf,
  rowAfterContact,
  rowAfterMessage,
  rowAfterTicket,
  rowOfTicket,
} from '../crm/rows.ts'
import type { Change } from '../data/apply_event.ts'
import { faultOf } from '../data/errors.ts'
import type { Project } from '../data/project.ts'
import type { Fault } from '../records/fault.ts'
import type { InboxFilter, InboxRow } from '../records/inbox.ts'

type RowSignal = Signal<InboxRow>

const PAGE = 50
/** Rows that are read again after a break; more are read when the agent scrolls there. */
const MAX_READ_AGAIN = 200
const HEAD_EVERY_MS = 1_500

export class InboxList {
  readonly filter: InboxFilter
  readonly isInView: {
    project: Pick<Project, 'api' | 'user' | 'definitions'>
    filter: InboxFilter
    isInView(ticket_id: string): boolean
  }['isInView']

  /** `failed` only while there is nothing to show. */
  state = signal<'loading' | 'ready' | 'failed'>('loading')
  fault = signal<Fault | null>(null)
  /** The ids of the tickets, in order. */
  ids = signal<readonly string[]>([])
  is_loading_more = signal(false)
  more_fault = signal<Fault | null>(null)
  has_more = signal(false)
  is_stale = false
  /** Scroll position when the list was left. */
  scrolled_to = 0
  #rows = new Map<string, RowSignal>()
  /** The ticket of each contact, for events of messages. */
  #tickets = new Map<string, string>()
  #cursor: string | null = null
  #reads = 0
  #timer: number | undefined
  #is_missing = false
  #moved = new Moved(MAX_READ_AGAIN)
  #project
  #order

  /** `isInView` says whether the agent looks at a ticket right now. */
  constructor({
    project,
    filter,
    isInView,
  }: {
    project: Pick<Project, 'api' | 'user' | 'definitions'>
    filter: InboxFilter
    isInView(ticket_id: string): boolean
  }) {
    this.#project = project
    this.filter = filter
    this.isInView = isInView
    this.#order = orderOf(filter)
  }

  /** The row of a ticket of the list. */
  row(ticket_id: string) {
    return this.#rows.get(ticket_id)
  }

  /** Reads the displayed rows again, from the top. They stay visible until the answer arrives. */
  async read() {
    const read = ++this.#reads
    this.#is_missing = false
    this.#moved.take()
    try {
      const size = Math.min(MAX_READ_AGAIN, Math.max(PAGE, this.ids.peek().length))
      const { data, next_cursor } = await this.#page(size, undefined)
      if (read !== this.#reads) return
      batch(() => {
        this.#cursor = next_cursor
        this.has_more.value = next_cursor !== null
        const kept = new Set(data.map(({ ticket_id }: InboxRow) => ticket_id))
        for (const id of this.#rows.keys()) if (!kept.has(id)) this.#drop(id)
        for (const row of data) this.#put(row)
        this.ids.value = data.map(({ ticket_id }: InboxRow) => ticket_id)
        this.state.value = 'ready'
        this.fault.value = null
      })
      this.is_stale = false
      if (this.#is_missing) this.#readSoon()
    } catch (error) {
      if (read !== this.#reads) return
      this.is_stale = true
      if (this.state.peek() === 'ready') return
      this.state.value = 'failed'
      this.fault.value = faultOf(error)
    }
  }

  /** Retries after a displayed failure. */
  retry() {
    this.state.value = 'loading'
    this.fault.value = null
    return this.read()
  }

  async readMore() {
    if (this.#cursor === null || this.is_loading_more.peek()) return
    const read = this.#reads
    this.is_loading_more.value = true
    this.more_fault.value = null
    try {
      const { data, next_cursor } = await this.#page(PAGE, this.#cursor)
      // The whole list was read anew meanwhile.
      if (read !== this.#reads) return
      batch(() => {
        this.#cursor = next_cursor
        this.has_more.value = next_cursor !== null
        for (const row of data) this.#put(row)
        this.#arrange()
      })
    } catch (error) {
      this.more_fault.value = faultOf(error)
    } finally {
      this.is_loading_more.value = false
    }
  }

  hear(changes: readonly Change[]) {
    // Events of a first reading under way may be missing in its answer.
    if (this.state.peek() === 'loading') {
      this.#is_missing ||= changes.length > 0
      return
    }
    this.#moved.hear(changes)
    const news = new News(changes)
    batch(() => {
      if (news.changes.filter((change) => this.#apply(change, news)).length > 0) this.#arrange()
    })
    if (this.#is_missing) this.#readSoon()
  }

  rowOfContact(contact_id: string) {
    return this.#rows.get(this.#tickets.get(contact_id) ?? '')
  }

  /** Changes one row, as an action of the agent does. */
  change(ticket_id: string, change: (row: InboxRow) => InboxRow) {
    const row = this.#rows.get(ticket_id)
    if (!row) {
      this.#is_missing = true
      return this.#readSoon()
    }
    row.value = change(row.peek())
    this.#arrange()
  }

  close() {
    this.#reads++
    clearTimeout(this.#timer)
  }

  /** Returns true when a row came, went or moved. */
  #apply({ kind, id, after, is_new, is_part, is_stale }: Change, news: News) {
    if (kind === 'ticket') {
      if (after === undefined) return this.#drop(id)
      const row = this.#rows.get(id)
      if (is_stale) this.#is_missing = true
      if (row) return this.#set(row, rowAfterTicket(row.peek(), after, this.#nameOfStage))
      if (is_part || this.filter.search) {
        this.#is_missing = true
        return false
      }
      const { row: made, is_whole } = news.complete(rowOfTicket(after, this.#nameOfStage), is_new)
      if (!this.#fits(made, is_whole ? this.filter : certainOf(this.filter)) || this.#isBelow(made)) return false
      if (!is_whole) this.#is_missing = true
      if (!this.#fits(made)) return false
      this.#put(made)
      return true
    }
    if (kind === 'message') {
      if (news.isTold(id)) return false
      const ticket_id = this.#tickets.get(after?.chat_user)
      const row = ticket_id === undefined ? undefined : this.#rows.get(ticket_id)
      if (ticket_id === undefined || !row || !after?.message) {
        if (is_new) this.#is_missing = true
        return false
      }
      return this.#set(row, rowAfterMessage(row.peek(), after, is_new))
    }
    if (kind === 'contact' && after && !is_part) {
      const row = this.#rows.get(this.#tickets.get(id) ?? '')
      return row !== undefined && this.#set(row, rowAfterContact(row.peek(), after))
    }
    return false
  }

  /** True when the row moved. */
  #set(row: RowSignal, next: InboxRow) {
    const before = row.peek()
    row.value = next
    return this.#order(before, next) !== 0 || !this.#fits(next)
  }

  /** Sorts the rows, and lets go of those that no longer belong here; the one in view stays until it is left. */
  #arrange() {
    for (const [id, row] of this.#rows) if (!this.#fits(row.peek()) && !this.isInView(id)) this.#drop(id)
    const rows = [...this.#rows.values()].map((row) => row.peek()).sort(this.#order)
    const ids = rows.map(({ ticket_id }) => ticket_id)
    const before = this.ids.peek()
    if (ids.length !== before.length || ids.some((id, at) => id !== before[at])) this.ids.value = ids
  }

  #fits(row: InboxRow, filter = this.filter) {
    return fits(row, filter, this.#project.user._id)
  }

  /** True when the row belongs on a page that is not read yet. */
  #isBelow(row: InboxRow) {
    const last = this.#rows.get(this.ids.peek().at(-1) ?? '')
    return this.#cursor !== null && last !== undefined && this.#order(row, last.peek()) > 0
  }

  #put(row: InboxRow) {
    const known = this.#rows.get(row.ticket_id)
    this.#tickets.set(row.contact._id, row.ticket_id)
    if (!known) this.#rows.set(row.ticket_id, signal(row))
    else if (!isOlder(row, known.peek())) known.value = row
  }

  #drop(ticket_id: string) {
    const row = this.#rows.get(ticket_id)
    if (row) this.#tickets.delete(row.peek().contact._id)
    return this.#rows.delete(ticket_id)
  }

  #readSoon() {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      if (this.#is_missing) void this.#readHead()
    }, HEAD_EVERY_MS)
  }

  /** Reads as far as rows may have come. Where an answer has fewer, or they come last, all is read anew: without a gap. */
  async #readHead() {
    const moved = this.#moved.take()
    if (moved > MAX_READ_AGAIN || this.filter.sort === 'waiting' || this.filter.is_failed) return this.read()
    const read = this.#reads
    this.#is_missing = false
    try {
      const { data } = await this.#page(Math.max(PAGE, moved), undefined)
      if (read !== this.#reads) return
      batch(() => {
        for (const row of data) this.#put(row)
        this.#arrange()
      })
    } catch {
      this.is_stale = true
    }
  }

  #nameOfStage = (stage_id: string) => nameOfStage(stage_id, this.#project.definitions.peek())

  #page(limit: number, cursor: string | undefined) {
    return this.#project.api.get('inbox', { ...this.filter, limit, cursor })
  }
}

/**
 * The board of a pipeline with a filter: the cards of each stage, page by page and live, and the totals. No DOM.
 *
 *  B1 A card is shown as the server said it last, with the agent's changes that have no answer yet on top. A refusal takes
 *     a change back.
 *  B2 Changes of one card are sent one after the other, each to the version that is known. When the ticket has another
 *     version by then, the change is sent again as long as nobody changed the same; otherwise it is a `Conflict`.
 *  B3 Events change known cards and bring in tickets that belong here. Whatever an event does not tell is read: the first
 *     pages and the totals, at most once in a while, however many events there are.
 */
import { batch, signal } from '@preact/signals'
import { faultOf } from '../data/errors.js'
import { rowAfterContact, rowAfterMessage } from '../inbox/rows.js'
import { cardAfterTicket, cardOfTicket, compareCards, isOnBoard, totalAfter } from './cards.js'
import { Column } from './column_cards.js'

/** @typedef {import('../../page_types/board.ts').BoardCard} BoardCard */
/** @typedef {import('../../page_types/board.ts').BoardPage} BoardPage */
/** @typedef {import('../../page_types/board.ts').BoardFilter} BoardFilter */
/** @typedef {import('../../page_types/board.ts').BoardTotal} BoardTotal */
/** @typedef {import('../../page_types/fault.ts').Fault} Fault */
/** @typedef {import('../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {import('../data/apply_event.js').Change} Change */
/** @typedef {import('../../page_types/live.ts').ProjectEvent} ProjectEvent */
/** @typedef {{ said: BoardCard, changes: Map<symbol, Partial<BoardCard>>, shown: import('@preact/signals').Signal<BoardCard> }} Entry */

const PAGE = 20
const MOST_READ_AGAIN = 100
const HEADS_EVERY_MS = 1_500
const TOTALS_EVERY_MS = 3_000
const MOST_TRIES = 5

/** Somebody else changed the same meanwhile. `ticket` is the record as it is now. */
export class Conflict extends Error {
  /** @param {AnyRecord} ticket */
  constructor(ticket) {
    super('Somebody else changed it meanwhile.')
    this.ticket = ticket
  }
}

export class Board {
  /** `failed` only while there is nothing to show. */
  state = signal(/** @type {'loading' | 'ready' | 'failed'} */ ('loading'))
  fault = signal(/** @type {Fault | null} */ (null))
  columns = signal(/** @type {readonly Column[]} */ ([]))
  /** Keys are the ids of stages. */
  totals = signal(/** @type {ReadonlyMap<string | null, BoardTotal>} */ (new Map()))
  is_stale = false
  /** @type {Map<string, Entry>} */
  #entries = new Map()
  /** The ticket of each contact, for events of messages. @type {Map<string, string>} */
  #tickets = new Map()
  /** The last change of each card that is under way. @type {Map<string, Promise<unknown>>} */
  #last = new Map()
  #reads = 0
  #total_reads = 0
  /** @type {number | undefined} */
  #heads_timer
  /** @type {number | undefined} */
  #totals_timer
  #is_missing = false
  #project

  /**
   * @param {Pick<import('../data/project.js').Project, 'api' | 'user' | 'definitions'>} project
   * @param {string} pipeline_id
   * @param {BoardFilter} filter
   */
  constructor(project, pipeline_id, filter) {
    this.#project = project
    this.pipeline_id = pipeline_id
    this.filter = filter
  }

  /**
   * The card of a ticket, while it is on the board.
   *
   * @param {string} ticket_id
   */
  card(ticket_id) {
    return this.#entries.get(ticket_id)?.shown
  }

  /** Reads the cards that are shown again, and the totals. The cards stay until the answer comes. */
  async read() {
    const read = ++this.#reads
    this.#is_missing = false
    this.#readTotals()
    const shown = Math.max(0, ...this.columns.peek().map(({ ids }) => ids.peek().length))
    const limit = Math.min(MOST_READ_AGAIN, Math.max(PAGE, shown))
    try {
      const { columns } = await this.#ask('board', { limit })
      if (read !== this.#reads) return
      batch(() => {
        const kept = new Set(
          columns.flatMap((/** @type {BoardPage} */ { data }) => data.map(({ ticket_id }) => ticket_id)),
        )
        for (const id of this.#entries.keys()) if (!kept.has(id) && !this.#last.has(id)) this.#drop(id)
        this.#take(columns)
        this.state.value = 'ready'
        this.fault.value = null
      })
      this.is_stale = false
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

  /** @param {Column} column */
  async readMore(column) {
    if (column.cursor === null || column.is_loading.peek()) return
    const read = this.#reads
    column.is_loading.value = true
    column.fault.value = null
    try {
      const stage_id = column.stage_id ?? 'none'
      const { columns } = await this.#ask('board', { stage_id, limit: PAGE * 2, cursor: column.cursor })
      const [page] = columns
      // The whole board was read anew meanwhile.
      if (read !== this.#reads || !page) return
      batch(() => {
        column.turn(page.next_cursor)
        for (const card of page.data) this.#put(card)
        this.#arrange()
      })
    } catch (error) {
      column.fault.value = faultOf(error)
    } finally {
      column.is_loading.value = false
    }
  }

  /**
   * Moves a ticket to a stage; the rules of the stage run.
   *
   * @param {string} ticket_id
   * @param {string} stage_id
   * @param {{ texts?: AnyRecord, is_forced?: boolean }} [more] the texts of the move; forced moves fit any version
   * @returns {Promise<void>}
   * @throws {Conflict | import('../data/api.js').ApiError}
   */
  move(ticket_id, stage_id, { texts = {}, is_forced = false } = {}) {
    const shown = { stage: { stage_id, name: this.#nameOfStage(stage_id) } }
    const path = `crm/tickets/${ticket_id}/stage`
    return this.#change(ticket_id, shown, is_forced, (version) =>
      this.#project.api.post(path, { stage_id, ...texts }, { version }),
    )
  }

  /**
   * Changes fields of a ticket. `shown` are those of the card.
   *
   * @param {string} ticket_id
   * @param {AnyRecord} json
   * @param {Partial<BoardCard>} shown
   * @returns {Promise<void>}
   * @throws {Conflict | import('../data/api.js').ApiError}
   */
  patch(ticket_id, json, shown) {
    return this.#change(ticket_id, shown, false, (version) =>
      this.#project.api.patch(`crm/tickets/${ticket_id}`, json, { version }),
    )
  }

  /**
   * Opens a closed ticket again.
   *
   * @param {string} ticket_id
   */
  async reopen(ticket_id) {
    await this.#project.api.patch(`crm/tickets/${ticket_id}`, { is_closed: false })
    await this.read()
  }

  /**
   * Shows the card in another stage without asking the server. Returns how to take it back.
   *
   * @param {string} ticket_id
   * @param {string} stage_id
   */
  preview(ticket_id, stage_id) {
    const mark = Symbol('preview')
    this.#overlay(ticket_id, mark, { stage: { stage_id, name: this.#nameOfStage(stage_id) } })
    return () => this.#overlay(ticket_id, mark, undefined)
  }

  /**
   * @param {readonly ProjectEvent[]} events
   * @param {readonly Change[]} changes
   */
  hear(events, changes) {
    if (this.state.peek() !== 'ready') return
    batch(() => {
      for (const change of changes) this.#hearChange(change)
      for (const { type, data } of events) {
        const { ticket_id, user_id } = /** @type {AnyRecord} */ (data)
        if (type === 'inbox.read' && user_id === this.#project.user._id)
          this.#say(ticket_id, (card) => ({ ...card, unread_count: 0 }))
        if (type === 'broadcast.messages') this.#is_missing = true
      }
      if (changes.length > 0) this.#arrange()
    })
    if (changes.some(({ kind }) => kind === 'ticket')) this.#totalsSoon()
    if (this.#is_missing) this.#headsSoon()
  }

  close() {
    this.#reads++
    this.#total_reads++
    clearTimeout(this.#heads_timer)
    clearTimeout(this.#totals_timer)
  }

  /** @param {Change} change */
  #hearChange({ kind, id, after, is_new, is_part, is_stale }) {
    if (kind === 'ticket') {
      if (after === undefined) return this.#drop(id)
      if (is_stale) this.#is_missing = true
      if (this.#entries.has(id)) return this.#say(id, (card) => cardAfterTicket(card, after, this.#nameOfStage))
      if (is_part || this.filter.search) {
        this.#is_missing = true
        return
      }
      const card = cardOfTicket(after, this.#nameOfStage)
      const column = this.#columnOf(card)
      if (!isOnBoard(card, this.filter) || !column || this.#isBelow(card, column)) return
      // The rest of the card comes with the next reading.
      this.#is_missing = true
      this.#put(card)
    } else if (kind === 'message') {
      const ticket_id = this.#tickets.get(after?.chat_user)
      if (ticket_id === undefined || !after?.message) {
        if (is_new) this.#is_missing = true
        return
      }
      this.#say(ticket_id, (card) => ({ ...card, ...rowAfterMessage(card, after, is_new) }))
    } else if (kind === 'contact' && after && !is_part) {
      this.#say(this.#tickets.get(id) ?? '', (card) => ({ ...card, ...rowAfterContact(card, after) }))
    }
  }

  /**
   * @param {string} ticket_id
   * @param {Partial<BoardCard>} shown
   * @param {boolean} is_forced
   * @param {(version: number | undefined) => Promise<AnyRecord>} send
   */
  async #change(ticket_id, shown, is_forced, send) {
    const entry = this.#entries.get(ticket_id)
    if (!entry) return
    const mark = Symbol('change')
    const seen = fieldsOf(entry.shown.peek(), shown)
    const before = entry.shown.peek()
    this.#overlay(ticket_id, mark, shown)
    const after = entry.shown.peek()
    this.#count(before, after)
    const previous = this.#last.get(ticket_id) ?? Promise.resolve()
    const done = previous.then(() => this.#send(entry, seen, is_forced, shown, send))
    const settled = done.catch(() => {})
    this.#last.set(ticket_id, settled)
    try {
      await done
    } catch (error) {
      this.#count(after, before)
      throw error
    } finally {
      if (this.#last.get(ticket_id) === settled) this.#last.delete(ticket_id)
      // A card that has left the board comes back when its change is refused.
      if (!this.#entries.has(ticket_id)) this.#entries.set(ticket_id, entry)
      this.#overlay(ticket_id, mark, undefined)
      this.#totalsSoon()
    }
  }

  /**
   * @param {Entry} entry
   * @param {AnyRecord} seen
   * @param {boolean} is_forced
   * @param {Partial<BoardCard>} shown
   * @param {(version: number | undefined) => Promise<AnyRecord>} send
   */
  async #send(entry, seen, is_forced, shown, send) {
    const { ticket_id } = entry.said
    /** @param {AnyRecord} ticket */
    const take = (ticket) => {
      entry.said = cardAfterTicket(entry.said, ticket, this.#nameOfStage)
    }
    for (let tries = 1; ; tries++) {
      try {
        return take((await send(is_forced ? undefined : entry.said.version)).ticket)
      } catch (error) {
        if (/** @type {{ status?: number }} */ (error).status !== 412 || tries > MOST_TRIES) throw error
        const ticket = await this.#project.api.get(`crm/tickets/${ticket_id}`)
        take(ticket)
        const theirs = JSON.stringify(fieldsOf(entry.said, shown))
        if (theirs === JSON.stringify(fieldsOf(/** @type {BoardCard} */ (shown), shown))) return
        if (theirs !== JSON.stringify(seen)) throw new Conflict(ticket)
      }
    }
  }

  /**
   * @param {string} ticket_id
   * @param {symbol} mark
   * @param {Partial<BoardCard> | undefined} change
   */
  #overlay(ticket_id, mark, change) {
    const entry = this.#entries.get(ticket_id)
    if (!entry) return
    if (change) entry.changes.set(mark, change)
    else entry.changes.delete(mark)
    batch(() => {
      show(entry)
      this.#arrange()
    })
  }

  /**
   * @param {string} ticket_id
   * @param {(card: BoardCard) => BoardCard} change
   */
  #say(ticket_id, change) {
    const entry = this.#entries.get(ticket_id)
    if (!entry) return
    entry.said = change(entry.said)
    show(entry)
  }

  /** @param {readonly BoardPage[]} pages */
  #take(pages) {
    const known = new Map(this.columns.peek().map((column) => [column.stage_id, column]))
    const columns = pages.map(({ stage_id, next_cursor }) => {
      const column = known.get(stage_id) ?? new Column(stage_id)
      column.turn(next_cursor)
      return column
    })
    const is_same = columns.length === known.size && columns.every((column, at) => column === this.columns.peek()[at])
    if (!is_same) this.columns.value = columns
    for (const { data } of pages) for (const card of data) this.#put(card)
    this.#arrange()
  }

  /** @param {BoardCard} card */
  #put(card) {
    const known = this.#entries.get(card.ticket_id)
    this.#tickets.set(card.contact._id, card.ticket_id)
    if (!known) this.#entries.set(card.ticket_id, { said: card, changes: new Map(), shown: signal(card) })
    else if (card.version >= known.said.version) {
      known.said = card
      show(known)
    }
  }

  /** @param {string} ticket_id */
  #drop(ticket_id) {
    const entry = this.#entries.get(ticket_id)
    if (entry) this.#tickets.delete(entry.said.contact._id)
    this.#entries.delete(ticket_id)
  }

  /** Sorts the cards into their columns, and lets go of those that no longer belong here. */
  #arrange() {
    /** @type {Map<string | null, BoardCard[]>} */
    const byStage = new Map(this.columns.peek().map(({ stage_id }) => [stage_id, []]))
    for (const [id, { shown, changes, said }] of this.#entries) {
      const card = shown.peek()
      const cards = byStage.get(card.stage?.stage_id ?? null)
      if (cards && isOnBoard(card, this.filter)) cards.push(card)
      else if (changes.size === 0 && !this.#last.has(id)) {
        this.#tickets.delete(said.contact._id)
        this.#entries.delete(id)
      }
    }
    for (const column of this.columns.peek()) {
      const ids = (byStage.get(column.stage_id) ?? []).sort(compareCards).map(({ ticket_id }) => ticket_id)
      column.put(ids)
    }
  }

  /** @param {BoardCard} card */
  #columnOf(card) {
    return this.columns.peek().find(({ stage_id }) => stage_id === (card.stage?.stage_id ?? null))
  }

  /**
   * True when the card belongs on a page that is not read yet.
   *
   * @param {BoardCard} card
   * @param {Column} column
   */
  #isBelow(card, { cursor, ids }) {
    const last = this.#entries.get(ids.peek().at(-1) ?? '')
    return cursor !== null && last !== undefined && compareCards(card, last.shown.peek()) > 0
  }

  /**
   * Changes the totals by a change of one card.
   *
   * @param {BoardCard} before
   * @param {BoardCard} after
   */
  #count(before, after) {
    const from = before.is_closed ? undefined : (before.stage?.stage_id ?? null)
    const to = after.is_closed ? undefined : (after.stage?.stage_id ?? null)
    if (from === to) return
    const totals = new Map(this.totals.peek())
    for (const [stage_id, by] of /** @type {const} */ ([
      [from, -1],
      [to, 1],
    ])) {
      const total = stage_id === undefined ? undefined : totals.get(stage_id)
      if (total) totals.set(total.stage_id, totalAfter(total, after, by))
    }
    this.totals.value = totals
  }

  #headsSoon() {
    this.#heads_timer ??= setTimeout(() => {
      this.#heads_timer = undefined
      void this.#readHeads()
    }, HEADS_EVERY_MS)
  }

  /** Reads the first pages, and puts their cards among the others. */
  async #readHeads() {
    const read = this.#reads
    this.#is_missing = false
    try {
      const { columns } = await this.#ask('board', { limit: PAGE })
      if (read !== this.#reads) return
      batch(() => {
        for (const { data } of columns) for (const card of data) this.#put(card)
        this.#arrange()
      })
    } catch {
      this.is_stale = true
    }
  }

  #totalsSoon() {
    this.#totals_timer ??= setTimeout(() => this.#readTotals(), TOTALS_EVERY_MS)
  }

  #readTotals() {
    clearTimeout(this.#totals_timer)
    this.#totals_timer = undefined
    const read = ++this.#total_reads
    this.#ask('board/totals', {}).then(
      ({ data }) => {
        // Changes under way are counted by the next reading.
        if (read !== this.#total_reads || this.#last.size > 0) return
        this.totals.value = new Map(data.map((/** @type {BoardTotal} */ total) => [total.stage_id, total]))
      },
      () => {
        this.is_stale = true
      },
    )
  }

  /** @param {string} stage_id */
  #nameOfStage = (stage_id) => {
    const pipelines = this.#project.definitions.peek()?.pipelines ?? []
    return pipelines.flatMap(({ stages }) => stages).find(({ _id }) => _id === stage_id)?.name ?? null
  }

  /**
   * @param {string} path
   * @param {import('../data/project_api.js').Query} query
   */
  #ask(path, query) {
    return this.#project.api.get(path, { pipeline_id: this.pipeline_id, ...this.filter, ...query })
  }
}

/** @param {Entry} entry */
function show({ said, changes, shown }) {
  shown.value = changes.size > 0 ? Object.assign({}, said, ...changes.values()) : said
}

/**
 * The fields of a card that a change touches, as far as people see them.
 *
 * @param {BoardCard} card
 * @param {Partial<BoardCard>} change
 */
function fieldsOf(card, change) {
  return Object.keys(change).map((name) => {
    if (name === 'stage') return card.stage?.stage_id ?? null
    if (name === 'assigned_to') return card.assigned_to?.id ?? null
    return card[/** @type {'priority'} */ (name)] ?? null
  })
}

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
import { Moved, News } from '../crm/news.ts'
import { nameOfStage, rowAfterContact, rowAfterMessage } from '../crm/rows.ts'
import type { Change } from '../data/apply_event.ts'
import { faultOf } from '../data/errors.ts'
import type { Project } from '../data/project.ts'
import type { Query } from '../data/query.ts'
import type { Fault } from '../records/fault.ts'
import type { ProjectEvent } from '../records/live.ts'
import type { AnyRecord } from '../records/record.ts'
import { BoardTotals } from './board_totals.ts'
import { CardChanges } from './card_changes.ts'
import { cardAfterTicket, cardOfTicket, isOnBoard } from './cards.ts'
import type { Column } from './column_cards.ts'
import type { BoardCard, BoardFilter } from './records.ts'
import { ShownCards } from './shown_cards.ts'

const PAGE = 20
const MAX_READ_AGAIN = 100
const HEADS_EVERY_MS = 1_500

export class Board {
  readonly pipeline_id: string
  readonly filter: BoardFilter
  readonly columns
  readonly totals

  /** `failed` only while there is nothing to show. */
  state = signal<'loading' | 'ready' | 'failed'>('loading')
  fault = signal<Fault | null>(null)
  is_stale = false
  #reads = 0
  #heads_timer: number | undefined
  #is_missing = false
  #moved = new Moved(MAX_READ_AGAIN)
  #project
  #changes
  #cards
  #totals

  constructor(project: Pick<Project, 'api' | 'user' | 'definitions'>, pipeline_id: string, filter: BoardFilter) {
    this.#project = project
    this.pipeline_id = pipeline_id
    this.filter = filter
    this.#changes = new CardChanges({
      cards: () => this.#cards,
      read: (ticket_id) => project.api.get(`crm/tickets/${ticket_id}`),
      nameOfStage: this.#nameOfStage,
      counted: (before, after) => this.#totals.count(before, after),
      settled: () => this.#totals.soon(),
    })
    this.#cards = new ShownCards(filter, (ticket_id) => this.#changes.has(ticket_id))
    this.#totals = new BoardTotals({
      ask: () => this.#ask('board/totals', {}),
      isChanging: () => this.#changes.is_any,
      failed: () => {
        this.is_stale = true
      },
    })
    this.columns = this.#cards.columns
    this.totals = this.#totals.value
  }

  /** The card of a ticket, while it is on the board. */
  card(ticket_id: string) {
    return this.#cards.entry(ticket_id)?.visible
  }

  /** Reads the cards that are shown again, and the totals. The cards stay until the answer comes. */
  async read() {
    const read = ++this.#reads
    this.#is_missing = false
    this.#moved.take()
    this.#totals.read()
    const count = Math.max(0, ...this.columns.peek().map(({ ids }) => ids.peek().length))
    const limit = Math.min(MAX_READ_AGAIN, Math.max(PAGE, count))
    try {
      const { columns } = await this.#ask('board', { limit })
      if (read !== this.#reads) return
      batch(() => {
        this.#cards.replace(columns)
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

  async readMore(column: Column) {
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
        for (const card of page.data) this.#cards.put(card)
        this.#cards.arrange()
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
   * @param more the texts of the move; forced moves fit any
   * version; a stage that closes takes the card off the board
   * @throws Conflict | ApiError
   */
  move(
    ticket_id: string,
    stage_id: string,
    {
      texts = {},
      is_forced = false,
      is_closing = false,
    }: { texts?: AnyRecord; is_forced?: boolean; is_closing?: boolean } = {},
  ): Promise<void> {
    const stage = { stage_id, name: this.#nameOfStage(stage_id) }
    const overlay = is_closing ? { stage, is_closed: true } : { stage }
    const path = `crm/tickets/${ticket_id}/stage`
    return this.#changes.change(ticket_id, overlay, is_forced, (version) =>
      this.#project.api.post(path, { stage_id, ...texts }, { version }),
    )
  }

  /**
   * Changes fields of a ticket. `overlay` are those of the card.
   *
   * @throws Conflict | ApiError
   */
  patch(ticket_id: string, json: AnyRecord, overlay: Partial<BoardCard>): Promise<void> {
    return this.#changes.change(ticket_id, overlay, false, (version) =>
      this.#project.api.patch(`crm/tickets/${ticket_id}`, json, { version }),
    )
  }

  /** Opens a closed ticket again. */
  async reopen(ticket_id: string) {
    await this.#project.api.patch(`crm/tickets/${ticket_id}`, { is_closed: false })
    await this.read()
  }

  /** Shows the card in another stage without asking the server. Returns how to take it back. */
  preview(ticket_id: string, stage_id: string) {
    const mark = Symbol('preview')
    this.#cards.overlay(ticket_id, mark, { stage: { stage_id, name: this.#nameOfStage(stage_id) } })
    return () => this.#cards.overlay(ticket_id, mark, undefined)
  }

  hear(events: readonly ProjectEvent[], changes: readonly Change[]) {
    if (this.state.peek() !== 'ready') return
    this.#moved.hear(changes)
    const news = new News(changes)
    batch(() => {
      for (const change of news.changes) this.#hearChange(change, news)
      for (const { type, data } of events) {
        const { ticket_id, user_id } = data as AnyRecord
        if (type === 'inbox.read' && user_id === this.#project.user._id)
          this.#cards.say(ticket_id, (card) => ({ ...card, unread_count: data.unread_count ?? 0 }))
        if (type === 'inbox.failed')
          this.#cards.say(ticket_id, (card) => ({
            ...card,
            failed_at: data.failed_at,
            waiting_since: data.waiting_since,
          }))
        if (type === 'broadcast.messages') this.#is_missing = true
      }
      if (changes.length > 0) this.#cards.arrange()
    })
    if (changes.some(({ kind }) => kind === 'ticket')) this.#totals.soon()
    if (this.#is_missing) this.#headsSoon()
  }

  close() {
    this.#reads++
    clearTimeout(this.#heads_timer)
    this.#totals.close()
  }

  #hearChange({ kind, id, after, is_new, is_part, is_stale }: Change, news: News) {
    if (kind === 'ticket') {
      if (after === undefined) return this.#cards.drop(id)
      if (is_stale) this.#is_missing = true
      if (this.#cards.entry(id)) return this.#cards.say(id, (card) => cardAfterTicket(card, after, this.#nameOfStage))
      if (is_part || this.filter.search) {
        this.#is_missing = true
        return
      }
      const { row: card, is_whole } = news.complete(cardOfTicket(after, this.#nameOfStage), is_new)
      const column = this.#cards.columnOf(card)
      if (!isOnBoard(card, this.filter) || !column || this.#cards.isBelow(card, column)) return
      if (!is_whole) this.#is_missing = true
      this.#cards.put(card)
    } else if (kind === 'message') {
      if (news.isTold(id)) return
      const ticket_id = this.#cards.ticketOf(after?.chat_user)
      if (ticket_id === undefined || !after?.message) {
        if (is_new) this.#is_missing = true
        return
      }
      this.#cards.say(ticket_id, (card) => ({ ...card, ...rowAfterMessage(card, after, is_new) }))
    } else if (kind === 'contact' && after && !is_part) {
      this.#cards.say(this.#cards.ticketOf(id) ?? '', (card) => ({ ...card, ...rowAfterContact(card, after) }))
    }
  }

  #headsSoon() {
    this.#heads_timer ??= setTimeout(() => {
      this.#heads_timer = undefined
      void this.#readHeads()
    }, HEADS_EVERY_MS)
  }

  /**
   * Reads the first pages, as far down as cards may have come, and puts their cards among the others. Where more came than
   * an answer has, the board is read anew: a column must have no gap.
   */
  async #readHeads() {
    const moved = this.#moved.take()
    if (moved > MAX_READ_AGAIN) return this.read()
    const read = this.#reads
    this.#is_missing = false
    try {
      const { columns } = await this.#ask('board', { limit: Math.max(PAGE, moved) })
      if (read !== this.#reads) return
      batch(() => {
        for (const { data } of columns) for (const card of data) this.#cards.put(card)
        this.#cards.arrange()
      })
    } catch {
      this.is_stale = true
    }
  }

  #nameOfStage = (stage_id: string) => nameOfStage(stage_id, this.#project.definitions.peek())

  #ask(path: string, query: Query) {
    return this.#project.api.get(path, { pipeline_id: this.pipeline_id, ...this.filter, ...query })
  }
}

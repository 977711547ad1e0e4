/**
 * The cards that are on a board, in their columns: each as the server said it last, with the changes that have no answer
 * yet on top. No DOM.
 */

import { batch, type Signal, signal } from '@preact/signals'
import { compareCards, isOnBoard } from './cards.ts'
import { Column } from './column_cards.ts'
import type { BoardCard, BoardFilter, BoardPage } from './records.ts'

export type Entry = { said: BoardCard; changes: Map<symbol, Partial<BoardCard>>; visible: Signal<BoardCard> }

export class ShownCards {
  columns = signal<readonly Column[]>([])
  #entries = new Map<string, Entry>()
  /** The ticket of each contact, for events of messages. */
  #tickets = new Map<string, string>()
  #filter
  #isChanging

  /** `isChanging(ticket_id)` is true while a change of the card is under way: it stays then. */
  constructor(filter: BoardFilter, isChanging: (ticket_id: string) => boolean) {
    this.#filter = filter
    this.#isChanging = isChanging
  }

  entry(ticket_id: string) {
    return this.#entries.get(ticket_id)
  }

  /** The ticket of a contact with a card. */
  ticketOf(contact_id: string) {
    return this.#tickets.get(contact_id)
  }

  /** Puts the pages of a new reading in the place of all cards. */
  replace(pages: readonly BoardPage[]) {
    const kept = new Set(pages.flatMap(({ data }) => data.map(({ ticket_id }) => ticket_id)))
    for (const id of this.#entries.keys()) if (!kept.has(id) && !this.#isChanging(id)) this.drop(id)
    this.#take(pages)
  }

  /** A card that has left the board comes back. */
  putBack(entry: Entry) {
    const { ticket_id } = entry.said
    if (!this.#entries.has(ticket_id)) this.#entries.set(ticket_id, entry)
  }

  overlay(ticket_id: string, mark: symbol, change: Partial<BoardCard> | undefined) {
    const entry = this.#entries.get(ticket_id)
    if (!entry) return
    if (change) entry.changes.set(mark, change)
    else entry.changes.delete(mark)
    batch(() => {
      show(entry)
      this.arrange()
    })
  }

  say(ticket_id: string, change: (card: BoardCard) => BoardCard) {
    const entry = this.#entries.get(ticket_id)
    if (!entry) return
    entry.said = change(entry.said)
    show(entry)
  }

  #take(pages: readonly BoardPage[]) {
    const known = new Map(this.columns.peek().map((column) => [column.stage_id, column]))
    const columns = pages.map(({ stage_id, next_cursor }) => {
      const column = known.get(stage_id) ?? new Column(stage_id)
      column.turn(next_cursor)
      return column
    })
    const is_same = columns.length === known.size && columns.every((column, at) => column === this.columns.peek()[at])
    if (!is_same) this.columns.value = columns
    for (const { data } of pages) for (const card of data) this.put(card)
    this.arrange()
  }

  put(card: BoardCard) {
    const known = this.#entries.get(card.ticket_id)
    this.#tickets.set(card.contact._id, card.ticket_id)
    if (!known) this.#entries.set(card.ticket_id, { said: card, changes: new Map(), visible: signal(card) })
    else if (card.version >= known.said.version) {
      known.said = card
      show(known)
    }
  }

  drop(ticket_id: string) {
    const entry = this.#entries.get(ticket_id)
    if (entry) this.#tickets.delete(entry.said.contact._id)
    this.#entries.delete(ticket_id)
  }

  /** Sorts the cards into their columns, and lets go of those that no longer belong here. */
  arrange() {
    const byStage: Map<string | null, BoardCard[]> = new Map(this.columns.peek().map(({ stage_id }) => [stage_id, []]))
    for (const [id, { visible, changes, said }] of this.#entries) {
      const card = visible.peek()
      const cards = byStage.get(card.stage?.stage_id ?? null)
      if (cards && isOnBoard(card, this.#filter)) cards.push(card)
      else if (changes.size === 0 && !this.#isChanging(id)) {
        this.#tickets.delete(said.contact._id)
        this.#entries.delete(id)
      }
    }
    for (const column of this.columns.peek()) {
      const ids = (byStage.get(column.stage_id) ?? []).sort(compareCards).map(({ ticket_id }) => ticket_id)
      column.put(ids)
    }
  }

  columnOf(card: BoardCard) {
    return this.columns.peek().find(({ stage_id }) => stage_id === (card.stage?.stage_id ?? null))
  }

  /** True when the card belongs on a page that is not read yet. */
  isBelow(card: BoardCard, { cursor, ids }: Column) {
    const last = this.#entries.get(ids.peek().at(-1) ?? '')
    return cursor !== null && last !== undefined && compareCards(card, last.visible.peek()) > 0
  }
}

function show({ said, changes, visible }: Entry) {
  visible.value = changes.size > 0 ? Object.assign({}, said, ...changes.values()) : said
}

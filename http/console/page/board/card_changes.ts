/**
 * An agent's changes of cards. Those of one card are sent one after the other, each to the version that is known. When the
 * ticket has another version by then, the change is sent again as long as nobody changed the same; otherwise it is a
 * `Conflict`. No DOM.
 */

import type { AnyRecord } from '../records/record.ts'
import { cardAfterTicket } from './cards.ts'
import type { BoardCard } from './records.ts'
import type { Entry, ShownCards } from './shown_cards.ts'

const MAX_TRIES = 5

/** Somebody else changed the same meanwhile. `ticket` is the record as it is now. */
export class Conflict extends Error {
  readonly ticket: AnyRecord

  constructor(ticket: AnyRecord) {
    super('Somebody else changed it meanwhile.')
    this.ticket = ticket
  }
}

export class CardChanges {
  /** The last change of each card that is under way. */
  #last = new Map<string, Promise<unknown>>()
  #on

  /**
   * `on.cards()` are those of the board, `on.read(ticket_id)` reads a ticket, `on.nameOfStage(id)` names a stage,
   * `on.counted(before, after)` is called when a card has changed, or is taken back, and `on.settled()` after each change.
   */
  constructor(on: {
    cards(): ShownCards
    read(ticket_id: string): Promise<AnyRecord>
    nameOfStage(stage_id: string): string | null
    counted(before: BoardCard, after: BoardCard): void
    settled(): void
  }) {
    this.#on = on
  }

  /** True while a change of any card is under way. */
  get is_any() {
    return this.#last.size > 0
  }

  has(ticket_id: string) {
    return this.#last.has(ticket_id)
  }

  async change(
    ticket_id: string,
    overlay: Partial<BoardCard>,
    is_forced: boolean,
    send: (version: number | undefined) => Promise<AnyRecord>,
  ) {
    const entry = this.#on.cards().entry(ticket_id)
    if (!entry) return
    const mark = Symbol('change')
    const seen = fieldsOf(entry.visible.peek(), overlay)
    const before = entry.visible.peek()
    this.#on.cards().overlay(ticket_id, mark, overlay)
    const after = entry.visible.peek()
    this.#on.counted(before, after)
    const previous = this.#last.get(ticket_id) ?? Promise.resolve()
    const done = previous.then(() => this.#send(entry, seen, is_forced, overlay, send))
    const settled = done.catch(() => {})
    this.#last.set(ticket_id, settled)
    try {
      await done
    } catch (error) {
      this.#on.counted(after, before)
      throw error
    } finally {
      if (this.#last.get(ticket_id) === settled) this.#last.delete(ticket_id)
      // A card that has left the board comes back when its change is refused.
      this.#on.cards().putBack(entry)
      this.#on.cards().overlay(ticket_id, mark, undefined)
      this.#on.settled()
    }
  }

  async #send(
    entry: Entry,
    seen: AnyRecord,
    is_forced: boolean,
    overlay: Partial<BoardCard>,
    send: (version: number | undefined) => Promise<AnyRecord>,
  ) {
    const { ticket_id } = entry.said
    const take = (ticket: AnyRecord) => {
      entry.said = cardAfterTicket(entry.said, ticket, this.#on.nameOfStage)
    }
    for (let tries = 1; ; tries++) {
      try {
        return take((await send(is_forced ? undefined : entry.said.version)).ticket)
      } catch (error) {
        if ((error as { status?: number }).status !== 412 || tries > MAX_TRIES) throw error
        const ticket = await this.#on.read(ticket_id)
        take(ticket)
        const theirs = JSON.stringify(fieldsOf(entry.said, overlay))
        if (theirs === JSON.stringify(fieldsOf(overlay as BoardCard, overlay))) return
        if (theirs !== JSON.stringify(seen)) throw new Conflict(ticket)
      }
    }
  }
}

/** The fields of a card that a change touches, as far as people see them. */
function fieldsOf(card: BoardCard, change: Partial<BoardCard>) {
  return Object.keys(change).map((name) => {
    if (name === 'stage') return card.stage?.stage_id ?? null
    if (name === 'assigned_to') return card.assigned_to?.id ?? null
    return card[name as 'priority'] ?? null
  })
}

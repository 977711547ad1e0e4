/** The totals of the stages of a board. A change of a card is counted at once, before they are read again. No DOM. */

import { signal } from '@preact/signals'
import { totalAfter } from './cards.ts'
import type { BoardCard, BoardTotal } from './records.ts'

const EVERY_MS = 3_000

export class BoardTotals {
  /** Keys are the ids of stages. */
  value = signal<ReadonlyMap<string | null, BoardTotal>>(new Map())
  #on
  #reads = 0
  #timer: number | undefined

  /**
   * `on.ask()` reads them, `on.isChanging()` is true while a change is under way, `on.failed()` is called after a failed
   * reading.
   */
  constructor(on: { ask(): Promise<{ data: BoardTotal[] }>; isChanging(): boolean; failed(): void }) {
    this.#on = on
  }

  /** Changes the totals by a change of one card. */
  count(before: BoardCard, after: BoardCard) {
    const from = before.is_closed ? undefined : (before.stage?.stage_id ?? null)
    const to = after.is_closed ? undefined : (after.stage?.stage_id ?? null)
    if (from === to && before.amount === after.amount && before.amount_currency === after.amount_currency) return
    const totals = new Map(this.value.peek())
    for (const [stage_id, by, card] of [
      [from, -1, before],
      [to, 1, after],
    ] as const) {
      const total = stage_id === undefined ? undefined : totals.get(stage_id)
      if (total) totals.set(total.stage_id, totalAfter(total, card, by))
    }
    this.value.value = totals
  }

  soon() {
    this.#timer ??= setTimeout(() => this.read(), EVERY_MS)
  }

  read() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const read = ++this.#reads
    this.#on.ask().then(
      ({ data }) => {
        // Changes under way are counted by the next reading.
        if (read !== this.#reads || this.#on.isChanging()) return
        this.value.value = new Map(data.map((total) => [total.stage_id, total]))
      },
      () => this.#on.failed(),
    )
  }

  close() {
    this.#reads++
    clearTimeout(this.#timer)
  }
}

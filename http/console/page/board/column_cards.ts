/** A column of a board: the ids of its cards that are read so far, in order. No DOM. */

import { signal } from '@preact/signals'
import type { Fault } from '../records/fault.ts'

export class Column {
  readonly stage_id: string | null

  /** The tickets, in order. */
  ids = signal<readonly string[]>([])
  has_more = signal(false)
  is_loading = signal(false)
  /** The reason why more could not be read. */
  fault = signal<Fault | null>(null)
  /** Where the next page begins; null at the end. */
  cursor: string | null = null
  /** Scroll position when the board was left. */
  scrolled_to = 0

  /** @param stage_id null: tickets without a stage */
  constructor(stage_id: string | null) {
    this.stage_id = stage_id
  }

  turn(cursor: string | null) {
    this.cursor = cursor
    this.has_more.value = cursor !== null
    this.fault.value = null
  }

  put(ids: readonly string[]) {
    const before = this.ids.peek()
    if (ids.length !== before.length || ids.some((id, at) => id !== before[at])) this.ids.value = ids
  }
}

/** A column of a board: the ids of its cards that are read so far, in order. No DOM. */
import { signal } from '@preact/signals'

/** @typedef {import('../../page_types/fault.ts').Fault} Fault */

export class Column {
  /** The tickets, in order. */
  ids = signal(/** @type {readonly string[]} */ ([]))
  has_more = signal(false)
  is_loading = signal(false)
  /** The reason why more could not be read. */
  fault = signal(/** @type {Fault | null} */ (null))
  /** Where the next page begins; null at the end. @type {string | null} */
  cursor = null
  /** Scroll position when the board was left. */
  scrolled_to = 0

  /** @param {string | null} stage_id null: tickets without a stage */
  constructor(stage_id) {
    this.stage_id = stage_id
  }

  /** @param {string | null} cursor */
  turn(cursor) {
    this.cursor = cursor
    this.has_more.value = cursor !== null
    this.fault.value = null
  }

  /** @param {readonly string[]} ids */
  put(ids) {
    const before = this.ids.peek()
    if (ids.length !== before.length || ids.some((id, at) => id !== before[at])) this.ids.value = ids
  }
}

/** Slow work beside the turns, by the actor that started it. Work whose state was thrown away is aborted (I11). */
import type { Message } from './actor.ts'
import type { Cell } from './cell.ts'
import type { Work } from './part.ts'

export class SlowWork {
  readonly #aborts = new Map<Cell, Set<AbortController>>()

  /** Starts work; exactly one of `done` and `failed` follows, unless the actor was evicted meanwhile. */
  start(cell: Cell, run: Work, done: (message: Message) => void, failed: (error: unknown) => void): void {
    const { generation } = cell
    const abort = new AbortController()
    const set = this.#aborts.get(cell) ?? new Set()
    set.add(abort)
    this.#aborts.set(cell, set)
    cell.works++
    const end = () => {
      cell.works--
      set.delete(abort)
      if (set.size === 0 && this.#aborts.get(cell) === set) this.#aborts.delete(cell)
      return cell.generation === generation
    }
    Promise.resolve(abort.signal)
      .then(run)
      .then(
        (message) => end() && done(message),
        (error) => end() && failed(error),
      )
  }

  isUnderWay(cell: Cell): boolean {
    return this.#aborts.has(cell)
  }

  abort(cell: Cell): void {
    for (const abort of this.#aborts.get(cell) ?? []) abort.abort()
    this.#aborts.delete(cell)
  }
}

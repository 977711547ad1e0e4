/** The asks whose callers wait here. Each is answered once, at the latest when its deadline has passed (I13). */

import { Moved, Unavailable } from '../refusal.ts'
import type { Clock } from '../time/clock.ts'
import type { Entry } from './entry.ts'

const SWEEP_MS = 100

export class WaitingAsks {
  readonly #asks = new Set<Entry>()
  readonly #clock: Clock
  readonly #endSweeps: () => void

  constructor(clock: Clock) {
    this.#clock = clock
    this.#endSweeps = clock.every(SWEEP_MS, () => this.#sweep())
  }

  add(entry: Entry): void {
    this.#asks.add(entry)
  }

  answer(entry: Entry, reply: unknown): void {
    this.#asks.delete(entry)
    if (reply instanceof Error) entry.reject!(reply)
    else entry.resolve!(reply)
  }

  /** Rejects messages that will not be applied here: their callers learn why, and their places are freed. */
  dismiss(entries: Iterable<Entry>, error: Error = new Moved()): void {
    for (const entry of entries) {
      this.#asks.delete(entry)
      entry.reject?.(error)
      entry.release?.()
    }
  }

  /** True when the deadline has passed; the caller has then been told, and the message must not be applied. */
  isOver(entry: Entry): boolean {
    if (!entry.expired && entry.deadline !== undefined && entry.deadline <= this.#clock.monotonic()) this.#expire(entry)
    return entry.expired === true
  }

  stop(): void {
    this.#endSweeps()
    this.dismiss([...this.#asks], new Unavailable('This node is shutting down.'))
  }

  #expire(entry: Entry): void {
    entry.expired = true
    this.dismiss([entry], new Unavailable('The answer did not come in time.'))
  }

  #sweep(): void {
    const now = this.#clock.monotonic()
    for (const entry of this.#asks) if (entry.deadline !== undefined && entry.deadline <= now) this.#expire(entry)
  }
}

/**
 * Notices that this process stood still: it was stopped, its machine slept, or had other things to do. Others may have
 * taken what it owned meanwhile, and nothing in its memory says so.
 */
import { performance } from 'node:perf_hooks'

const TICK_MS = 250
/** Well below the silence after which a node counts as dead. */
const STALL_MS = 1250

export class Pulse {
  #last = performance.now()
  /** When it last went on after a stand-still, by `performance.now()`; 0 when it never stood still. */
  resumed_at = 0
  readonly #beating: NodeJS.Timeout

  /** `resumed` is called in the first moment in which anything runs again. */
  constructor(resumed: () => void) {
    this.#beating = setInterval(() => {
      const now = performance.now()
      const stood_still = now - this.#last > STALL_MS
      this.#last = now
      if (!stood_still) return
      this.resumed_at = now
      resumed()
    }, TICK_MS)
    this.#beating.unref()
  }

  stop(): void {
    clearInterval(this.#beating)
  }
}

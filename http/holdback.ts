/**
 * Failed authentications leave together, on ticks. A mangled token is known to be wrong at once, an unknown one after a
 * look-up, a revoked one after its project was asked; answered as soon as known, the time would tell which it was.
 * Each waits until `hold_ms` after its arrival and then for the next tick, so when it leaves depends on when it came and
 * on nothing else. A cause that took longer than that is rounded up to the next multiple.
 */
export class Holdback {
  readonly #hold_ms: number
  readonly #waiting = new Set<{ due: number; release: () => void }>()
  #ticker: NodeJS.Timeout | undefined

  constructor(hold_ms: number) {
    this.#hold_ms = hold_ms
  }

  /** `arrived` as of `performance.now()`; `release` is called once, always later. */
  hold(arrived: number, release: () => void): void {
    const elapsed = performance.now() - arrived
    const due = arrived + this.#hold_ms * (Math.floor(elapsed / this.#hold_ms) + 1)
    this.#waiting.add({ due, release })
    this.#ticker ??= setInterval(() => this.#tick(), Math.max(1, this.#hold_ms / 5))
  }

  #tick(): void {
    const now = performance.now()
    for (const held of this.#waiting) {
      if (held.due > now) continue
      this.#waiting.delete(held)
      held.release()
    }
    if (this.#waiting.size > 0) return
    clearInterval(this.#ticker)
    this.#ticker = undefined
  }

  /** Lets everything go at once: the server is closing. */
  flush(): void {
    for (const { release } of this.#waiting) release()
    this.#waiting.clear()
    clearInterval(this.#ticker)
    this.#ticker = undefined
  }
}

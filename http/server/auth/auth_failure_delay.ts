/**
 * Delays answers to failed authentications so that their times do not reveal the cause. A mangled token is known to be
 * wrong at once, an unknown one after a look-up, a revoked one after its project was asked. Each answer waits until
 * `hold_ms` after the arrival of its request, rounded up to a grid of times that is the same for all. A cause that took
 * longer is rounded up to the next multiple.
 *
 * The grid also hides the lateness of timers, a fraction of a millisecond that depends on when a timer was set, which
 * is when the cause was known. The answers of one step leave together, with the first timer that was set for it.
 */
const STEP_MS = 5

export class AuthFailureDelay {
  readonly #hold_ms: number
  /** Keyed by departure time, as of `performance.now()`. */
  readonly #waiting = new Map<number, { releases: (() => void)[]; timer: NodeJS.Timeout }>()

  constructor(hold_ms: number) {
    this.#hold_ms = hold_ms
  }

  /** `arrived` as of `performance.now()`; `release` is called once, always later. */
  hold(arrived: number, release: () => void): void {
    const elapsed = performance.now() - arrived
    const earliest = arrived + this.#hold_ms * (Math.floor(elapsed / this.#hold_ms) + 1)
    const due = Math.ceil(earliest / STEP_MS) * STEP_MS
    const step = this.#waiting.get(due)
    if (step === undefined) this.#waiting.set(due, { releases: [release], timer: this.#timer(due) })
    else step.releases.push(release)
  }

  #timer(due: number): NodeJS.Timeout {
    return setTimeout(() => this.#leave(due), Math.max(0, due - performance.now()))
  }

  #leave(due: number): void {
    const step = this.#waiting.get(due)
    if (step === undefined) return
    // Timers count whole milliseconds and may come a little early.
    if (performance.now() < due) {
      step.timer = this.#timer(due)
      return
    }
    this.#waiting.delete(due)
    for (const release of step.releases) release()
  }

  /** Releases all answers at once: the server is closing. */
  flush(): void {
    for (const [due, { releases, timer }] of this.#waiting) {
      clearTimeout(timer)
      this.#waiting.delete(due)
      for (const release of releases) release()
    }
  }
}

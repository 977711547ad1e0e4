/** Runs all delays of the simulator, so that closing it leaves no timer behind. */
export class Schedule {
  readonly #timers = new Set<NodeJS.Timeout>()
  #closed = false

  /** Runs `job` after `delay_ms` milliseconds; a job due after `close` never runs. */
  after(delay_ms: number, job: () => void): void {
    if (this.#closed) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      job()
    }, delay_ms)
    this.#timers.add(timer)
  }

  get pending(): number {
    return this.#timers.size
  }

  close(): void {
    this.#closed = true
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }
}

import { type Clock, systemClock } from '../../../runtime/time/clock.ts'

/** A clock that a test turns. */
export class TurnedClock implements Clock {
  #now = Date.UTC(2030, 0, 1)
  #waiting: { at: number; callback: () => void }[] = []

  now(): number {
    return this.#now
  }

  wall(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now
  }

  /** Real time, for code that reads the clock now and then. */
  every = systemClock.every

  soon = systemClock.soon

  after(ms: number, callback: () => void): () => void {
    const one = { at: this.#now + Math.max(0, ms), callback }
    this.#waiting.push(one)
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== one)
    }
  }

  /** Lets `ms` pass, and makes the calls that fall due in order. */
  turn(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const next = this.#waiting.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      this.#waiting = this.#waiting.filter((other) => other !== next)
      this.#now = Math.max(this.#now, next.at)
      next.callback()
    }
    this.#now = end
  }
}

/** Clocks of nodes that share a process. They can run slower than the machine's, and each can be stopped for ever. */
import { performance } from 'node:perf_hooks'
import type { Clock } from '../../runtime/time/clock.ts'

/**
 * Time that passes `slowness` times as slowly as the machine's. A thousand nodes on two cores get the share of the
 * processor that each would have on a machine of its own.
 */
export class SlowTime {
  readonly slowness: number

  constructor(slowness: number) {
    this.slowness = slowness
  }

  /** Returns milliseconds of this time. */
  now(): number {
    return performance.now() / this.slowness
  }

  /** Resolves after `ms` of this time. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms * this.slowness))
  }
}

/** The clock of one node. After a stop none of its timers fires any more, as after `kill -9`. */
export class NodeClock implements Clock {
  readonly #time: SlowTime
  #is_stopped = false

  constructor(time: SlowTime) {
    this.#time = time
  }

  stop(): void {
    this.#is_stopped = true
  }

  get isStopped(): boolean {
    return this.#is_stopped
  }

  now(): number {
    return this.#time.now()
  }

  wall(): number {
    return this.#time.now()
  }

  monotonic(): number {
    return this.#time.now()
  }

  after(ms: number, callback: () => void): () => void {
    const timer = setTimeout(() => this.#call(callback), ms * this.#time.slowness)
    return () => clearTimeout(timer)
  }

  every(ms: number, callback: () => void): () => void {
    const timer = setInterval(() => {
      if (this.#is_stopped) clearInterval(timer)
      else callback()
    }, ms * this.#time.slowness)
    return () => clearInterval(timer)
  }

  soon(callback: () => void): void {
    setImmediate(() => this.#call(callback))
  }

  #call(callback: () => void): void {
    if (!this.#is_stopped) callback()
  }
}

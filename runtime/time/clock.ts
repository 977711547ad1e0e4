/** The clock is injected, so that a simulation can turn it. No other part of the engine reads a clock or sets a timer. */
import { performance } from 'node:perf_hooks'
import { learnTime, now, type TimeSample } from '../../storage/mod.ts'

export interface Clock {
  /** Milliseconds since the epoch, following the database's clock. */
  now(): number
  /** The machine's own wall clock, which may be set at any time. Used only to notice that the machine slept. */
  wall(): number
  /** Milliseconds that never go back, whatever happens to the wall clock. For leases, durations and ages. */
  monotonic(): number
  /** Calls back once after `ms`; the returned function cancels. Never keeps the process alive. */
  after(ms: number, callback: () => void): () => void
  /** Calls back every `ms`; the returned function cancels. Never keeps the process alive. */
  every(ms: number, callback: () => void): () => void
  /** Calls back once everything that has arrived so far was processed. */
  soon(callback: () => void): void
  /** Takes a sample of the database's clock, which `now` follows. */
  learn?(sample: TimeSample): void
}

export const systemClock: Clock = {
  learn: learnTime,
  now,
  wall: Date.now,
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(ms, 0x7fffffff))
    timer.unref()
    return () => clearTimeout(timer)
  },
  every(ms, callback) {
    const timer = setInterval(callback, ms)
    timer.unref()
    return () => clearInterval(timer)
  },
  soon: (callback) => void setImmediate(callback),
}

/** Resolves after `ms`. */
export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve))
}

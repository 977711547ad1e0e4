/**
 * Limits one kind of work under way. Work that could not be done in time is refused at once, so that accepted work
 * finishes soon and memory stays bounded under any load.
 *
 * In normal operation only the bound `most` counts. When many requests have been under way for a second without a
 * break, arrivals exceed capacity. Then only as many are let in as finish in two seconds, and never fewer than a few,
 * which show when capacity recovers.
 */
import { performance } from 'node:perf_hooks'
import { Shares } from './fair_shares.ts'

/** This many are always let in. */
const FEW = 256
const PATIENCE_MS = 1000
/** Maximum predicted wait of the last request let in, at the pace of the last seconds. */
const WAIT_S = 2
const LONGEST_RETRY_S = 10

export class ConcurrencyLimiter {
  readonly #most: number
  /** Places of each holder, where each has a bound. */
  readonly #each: Shares<'name' | 'address'> | undefined
  #inside = 0
  /** The time since which there were many without a break, or 0. */
  #many_since = 0
  /** Recent completions per second. */
  #pace = 0
  #done = 0
  #counting_since = 0
  /** Number of refused requests. */
  refused = 0

  /** `most`: maximum under way at once. `most_of_each`: the same for each named holder, `most_of_address` for each address. */
  constructor(most: number, most_of_each?: number, most_of_address = most) {
    this.#most = most
    if (most_of_each === undefined) return
    this.#each = new Shares({ all: most, kinds: { name: most_of_each, address: most_of_address } })
  }

  get inside(): number {
    return this.#inside
  }

  /** True when `enter` would refuse. */
  get closed(): boolean {
    return this.#inside >= Math.min(FEW, this.#most) && this.#inside >= this.#room(performance.now())
  }

  /** Returns false when the work is refused. After true, call `leave` once, with the same holder. */
  enter(name?: string, address?: string): boolean {
    if (this.closed) return false
    if (this.#each?.take({ name, address }, 1) === false) return false
    this.#inside++
    if (this.#inside >= FEW && this.#many_since === 0) {
      this.#many_since = performance.now()
      this.#counting_since = this.#many_since
      this.#done = 0
      this.#pace = 0
    }
    return true
  }

  /** `done` is false for work that could not be done: it does not count towards the pace. */
  leave(done: boolean, name?: string, address?: string): void {
    this.#inside--
    this.#each?.give({ name, address }, 1)
    if (!done) return
    this.#done++
    if (this.#inside <= FEW / 2) this.#many_since = 0
  }

  /** Counts a refused request; returns the seconds until there may be room. */
  refuse(): number {
    this.refused++
    const wait = this.#pace > 0 ? Math.ceil(this.#inside / this.#pace) : LONGEST_RETRY_S
    return Math.min(Math.max(wait, 1), LONGEST_RETRY_S)
  }

  #room(now: number): number {
    if (this.#many_since === 0 || now - this.#many_since < PATIENCE_MS) return this.#most
    const elapsed = now - this.#counting_since
    if (elapsed >= PATIENCE_MS) {
      const pace = (this.#done * 1000) / elapsed
      this.#pace = this.#pace === 0 ? pace : (this.#pace + pace) / 2
      this.#done = 0
      this.#counting_since = now
    }
    return Math.min(this.#most, this.#pace * WAIT_S)
  }
}

/**
 * Limits one kind of work under way. Work that could not be done in time is refused at once, so that accepted work
 * finishes soon and memory stays bounded under any load.
 *
 * In normal operation only the bound `most` counts. When many requests have been under way for a second without a
 * break, arrivals exceed capacity. Then only as many are let in as finish in two seconds, and never fewer than a few,
 * which show when capacity recovers. A tenant with little under way is let in all the same, for the others' work may be
 * what does not finish.
 */
import { performance } from 'node:perf_hooks'
import { type Holder, Shares } from './fair_shares.ts'

/** This many are always let in. */
const FEW = 256
/** A tenant with fewer under way is let in as long as there is any place. */
const LITTLE = 32
const PATIENCE_MS = 1000
/** Maximum predicted wait of the last request let in, at the pace of the last seconds. */
const WAIT_S = 2
const MAX_RETRY_S = 10

/**
 * For whom work counts: a company or, where that is not known yet, a channel; a token, an agent or an address; the
 * address once more. Work of nobody has no bound of its own.
 */
export type WorkHolder = Holder<'tenant' | 'name' | 'address'>

const NOBODY: WorkHolder = {}

export class ConcurrencyLimiter {
  readonly #most: number
  /** Places of each holder. */
  readonly #each: Shares
  #inside = 0
  /** The time since which there were many without a break, or 0. */
  #many_since = 0
  /** Recent completions per second. */
  #pace = 0
  #done = 0
  #counting_since = 0
  /** Number of refused requests. */
  refused = 0

  /** `most`: maximum under way at once. `bounds`: the same for each holder; half of `most` for a tenant by default. */
  constructor(most: number, bounds: Partial<Record<'tenant' | 'name' | 'address', number>> = {}) {
    this.#most = most
    // Kinds without a bound are not counted: this is on the way of every request.
    this.#each = new Shares<string>({ all: most, kinds: { tenant: Math.ceil(most / 2), ...bounds } })
  }

  get inside(): number {
    return this.#inside
  }

  /** True when `enter` would refuse more of this holder, unless the holder's own places are taken. */
  isClosed(holder = NOBODY): boolean {
    if (this.#inside >= this.#most) return true
    if (this.#inside < FEW || this.#inside < this.#room(performance.now())) return false
    return holder.tenant === undefined || this.#each.heldBy('tenant', holder) >= LITTLE
  }

  /** Returns false when the work is refused. After true, call `leave` once, with the same holder. */
  enter(holder = NOBODY): boolean {
    if (this.isClosed(holder) || !this.#each.take(holder, 1)) return false
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
  leave(done: boolean, holder = NOBODY): void {
    this.#inside--
    this.#each.give(holder, 1)
    if (!done) return
    this.#done++
    if (this.#inside <= FEW / 2) this.#many_since = 0
  }

  /** Counts a refused request; returns the seconds until there may be room. */
  refuse(): number {
    this.refused++
    const wait = this.#pace > 0 ? Math.ceil(this.#inside / this.#pace) : MAX_RETRY_S
    return Math.min(Math.max(wait, 1), MAX_RETRY_S)
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

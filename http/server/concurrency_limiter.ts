/**
 * How much of one kind of work a server takes on. What it could not do in time is refused at once, so that what it has
 * taken is done soon and memory stays bounded whatever is offered.
 *
 * While things go well only the bound `most` counts. When many have been under way for a second without a break, more
 * comes than is done: then only as many are let in as are done in two seconds, and never fewer than a few, who show when
 * things go well again.
 */
import { performance } from 'node:perf_hooks'
import { Shares } from './shares.ts'

/** That many are always let in. */
const FEW = 256
const PATIENCE_MS = 1000
/** How long, at the pace of the last seconds, the last one let in may have to wait. */
const WAIT_S = 2
const LONGEST_RETRY_S = 10

export class ConcurrencyLimiter {
  readonly #most: number
  /** Places of each who is named, where each has a bound. */
  readonly #each: Shares<'name'> | undefined
  #inside = 0
  /** Since when there were many without a break, or 0. */
  #many_since = 0
  /** Done per second, lately. */
  #pace = 0
  #done = 0
  #counting_since = 0
  /** Requests that were not let in. */
  refused = 0

  /** `most`: the bound on what is under way at once. `most_of_each`: the same for each who is named. */
  constructor(most: number, most_of_each?: number) {
    this.#most = most
    if (most_of_each !== undefined) this.#each = new Shares({ all: most, kinds: { name: most_of_each } })
  }

  get inside(): number {
    return this.#inside
  }

  /** Whether `enter` would say no. */
  get closed(): boolean {
    return this.#inside >= Math.min(FEW, this.#most) && this.#inside >= this.#room(performance.now())
  }

  /** False when it is not taken on; who got true calls `leave` once, in the same name. */
  enter(name?: string): boolean {
    if (this.closed) return false
    if (this.#each?.take({ name }, 1) === false) return false
    this.#inside++
    if (this.#inside >= FEW && this.#many_since === 0) {
      this.#many_since = performance.now()
      this.#counting_since = this.#many_since
      this.#done = 0
      this.#pace = 0
    }
    return true
  }

  /** `done` is false for what could not be done: it says nothing about the pace. */
  leave(done: boolean, name?: string): void {
    this.#inside--
    this.#each?.give({ name }, 1)
    if (!done) return
    this.#done++
    if (this.#inside <= FEW / 2) this.#many_since = 0
  }

  /** Counts a request that was not let in; returns the seconds until there may be room. */
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

import type { Body } from '../body/body.ts'
import type { ConcurrencyLimiter, WorkHolder } from '../limits/concurrency_limiter.ts'

/**
 * The server resources of one request: a place behind a limiter and the memory of its body. They are given back when
 * the request is over (answered, or its client left) and all work for it has ended.
 */
export class RequestResources {
  #limiter: ConcurrencyLimiter | undefined
  #holder: WorkHolder = {}
  #working = 0
  /** Set as soon as there is a body. */
  body: Body | undefined
  #release_also: (() => unknown) | undefined
  #over = false
  /** False when the work could not be done now: the limiter does not count it as served. */
  served = true

  /** Returns false when the limiter refuses. */
  enter(limiter: ConcurrencyLimiter, holder: WorkHolder): boolean {
    if (!limiter.enter(holder)) return false
    this.#limiter = limiter
    this.#holder = holder
    return true
  }

  /** Adds a callback that runs when the resources are given back. */
  release(also: () => unknown): void {
    this.#release_also = also
    this.#release()
  }

  /** Begins work that goes on even when the client leaves. */
  begin(): void {
    this.#working++
  }

  end(): void {
    this.#working--
    this.#release()
  }

  over(): void {
    this.#over = true
    this.#release()
  }

  #release(): void {
    if (!this.#over || this.#working > 0) return
    this.#limiter?.leave(this.served, this.#holder)
    this.#limiter = undefined
    this.body?.release()
    this.body = undefined
    this.#release_also?.()
    this.#release_also = undefined
  }
}

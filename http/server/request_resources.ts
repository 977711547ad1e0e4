import type { Body } from './body.ts'
import type { ConcurrencyLimiter } from './concurrency_limiter.ts'

/**
 * What one request holds of the server: a place behind a limiter and the memory of its body. It is given back when the
 * request is over (answered, or its client left) and no work for it goes on any more.
 */
export class RequestResources {
  #limiter: ConcurrencyLimiter | undefined
  #name: string | undefined
  #working = 0
  /** The body, as soon as there is one. */
  body: Body | undefined
  #release_also: (() => unknown) | undefined
  #over = false
  /** False when it could not be done now: the limiter does not count it as served. */
  served = true

  /** False when the limiter lets nobody in. */
  enter(limiter: ConcurrencyLimiter, name: string | undefined): boolean {
    if (!limiter.enter(name)) return false
    this.#limiter = limiter
    this.#name = name
    return true
  }

  /** Something else to be given back with the rest. */
  release(also: () => unknown): void {
    this.#release_also = also
    this.#release()
  }

  /** Work begins that goes on even when the client leaves. */
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
    this.#limiter?.leave(this.served, this.#name)
    this.#limiter = undefined
    this.body?.release()
    this.body = undefined
    this.#release_also?.()
    this.#release_also = undefined
  }
}

/** Rate limit of one socket: a burst, and one more unit each `every_ms`. */
export class TokenBucket {
  readonly #most: number
  readonly #every_ms: number
  #left: number
  #at = performance.now()

  constructor(most: number, every_ms: number) {
    this.#most = most
    this.#every_ms = every_ms
    this.#left = most
  }

  /** False when less than `cost` is left; nothing is taken then. */
  take(cost = 1): boolean {
    const now = performance.now()
    this.#left = Math.min(this.#most, this.#left + (now - this.#at) / this.#every_ms)
    this.#at = now
    if (this.#left < cost) return false
    this.#left -= cost
    return true
  }
}

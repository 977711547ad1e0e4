/**
 * Slots for requests in flight to one receiver. The next request begins when one has ended, before the outcome of that
 * one is stored: a few wait here for a slot, so that commits delay no request. The first failure sends them back.
 */
export class Slots {
  #in_flight = 0
  #failed = false
  readonly #waiting: ((may_go: boolean) => void)[] = []

  /** Resolves to true with a slot, which `leave` must give back; to false after a failure. */
  async enter(most: number): Promise<boolean> {
    if (this.#in_flight < most) {
      this.#in_flight++
      return true
    }
    if (this.#failed) return false
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  leave(has_failed: boolean): void {
    if (has_failed) {
      this.#failed = true
      this.sendBack()
    }
    const next = this.#waiting.shift()
    if (next) next(true)
    else this.#in_flight--
  }

  /** Sends all waiting deliveries back. */
  sendBack(): void {
    for (const next of this.#waiting.splice(0)) next(false)
  }

  /** A turn has processed the failures and set the new limit. */
  learnt(): void {
    this.#failed = false
  }
}

/**
 * Requests in flight to one receiver. The next request begins when one has ended, not when that one's outcome is stored:
 * a few wait here for their turn, so that a commit holds up nobody. The first failure sends them back.
 */
export class Slots {
  #in_flight = 0
  #failed = false
  readonly #waiting: ((may_go: boolean) => void)[] = []

  /** Resolves to whether to go on; after a failure whoever waits does not. Who goes on has to `leave`. */
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

  /** Whoever waits does not go. */
  sendBack(): void {
    for (const next of this.#waiting.splice(0)) next(false)
  }

  /** A turn has learnt from what failed: it says how many may go now. */
  learnt(): void {
    this.#failed = false
  }
}

/**
 * Circuit breaker of a provider. When calls fail for several recipients in a row and none succeeds, the channel stops
 * calling: no attempts are used up while messages wait in the table. Single probes then find out when the provider is
 * back.
 *
 * closed → open (`opened_at`, until the pause ends) → half open (one call at a time) → closed with the first answer, or
 * open again, for longer.
 */

/** Fewer recipients may have trouble of their own. */
const RECIPIENTS = 3
const FAILURES = 5
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 60_000

export class Breaker {
  #failures = 0
  readonly #recipients = new Set<string>()
  #openings = 0
  #opened_at = 0

  /** Allows one call at a time. */
  get is_half_open(): boolean {
    return this.#openings > 0
  }

  /** The provider answered, with success or failure. */
  answered(): void {
    this.#failures = 0
    this.#recipients.clear()
    this.#openings = 0
  }

  /**
   * Records that a call begun at `started_at` got no usable answer. Returns the pause of all calls (milliseconds), or
   * undefined when calls go on.
   */
  failed(recipient: string, started_at: number, now: number): number | undefined {
    // The call was under way when the breaker opened, so its failure is not new.
    if (started_at < this.#opened_at) return undefined
    this.#failures++
    this.#recipients.add(recipient)
    const is_enough = this.#failures >= FAILURES && this.#recipients.size >= RECIPIENTS
    if (!this.is_half_open && !is_enough) return undefined
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.#openings, MAX_PAUSE_MS)
    this.#openings++
    this.#opened_at = now
    return pause
  }
}

/**
 * Failures that are a message's own: what the message itself brings cannot be had, such as the file behind its link. The
 * messages behind it have no part in that, so it is given up sooner than one that the provider does not take.
 */
const MOST_ATTEMPTS = 4
/** From its first such attempt on. */
const LONGEST_MS = 30_000

export class OwnTrouble {
  #failures = 0
  readonly #since: number

  /** `since`: when the first failed attempt began, milliseconds. */
  constructor(since: number) {
    this.#since = since
  }

  /** Counts a failure. True when the message was tried often or long enough. */
  failed(now: number): boolean {
    this.#failures += 1
    return this.#failures >= MOST_ATTEMPTS || now - this.#since >= LONGEST_MS
  }
}

/**
 * Failures caused by a message's own content, such as an unreachable file behind its link. Later messages of the
 * recipient should not wait for long, so this one is given up sooner than one that the provider does not take.
 */
const MAX_ATTEMPTS = 4
/** Milliseconds since the first such attempt. */
const MAX_MS = 30_000

export class OwnTrouble {
  #failures = 0
  readonly #since: number

  /** `since`: start of the first failed attempt, milliseconds. */
  constructor(since: number) {
    this.#since = since
  }

  /** Counts a failure. Returns true when the message was tried often or long enough. */
  failed(now: number): boolean {
    this.#failures += 1
    return this.#failures >= MAX_ATTEMPTS || now - this.#since >= MAX_MS
  }
}

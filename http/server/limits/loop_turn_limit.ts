/**
 * Limits unauthenticated answers in one turn of the event loop. A packet may hold thousands of requests, and while the
 * parser goes through it no other client is served.
 */

/** More clients than this rarely ask in the same turn. */
const MAX = 64

export class AtOnce {
  #turns = 0

  /** False when the answer should be left for later. */
  take(): boolean {
    if (this.#turns === 0) {
      setImmediate(() => {
        this.#turns = 0
      })
    }
    return ++this.#turns <= MAX
  }
}

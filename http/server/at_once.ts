/**
 * How much is answered to anybody before the loop turns. A packet holds thousands of requests, and while the parser goes
 * through it no one else is served.
 */

/** More than this many clients hardly ask in the same turn. */
const MOST = 64

export class AtOnce {
  #given = 0

  /** False when the answer should be left for later. */
  take(): boolean {
    if (this.#given === 0) {
      setImmediate(() => {
        this.#given = 0
      })
    }
    return ++this.#given <= MOST
  }
}

/**
 * Tells whether clients of this node are writing, or messages of people arriving, right now; bulk work makes room for
 * them. A hint, in memory of one node. Moments are those of `performance.now()`.
 */

/** Milliseconds after a write in which another one is likely. */
const RECENT_MS = 2000

export class Foreground {
  #last = Number.NEGATIVE_INFINITY

  /** Records that a client or a person waits. */
  note(now: number): void {
    this.#last = now
  }

  isBusy(now: number): boolean {
    return now - this.#last < RECENT_MS
  }
}

/**
 * Whether somebody on this node waits for something right now: clients that write, and people whose messages arrive. Bulk
 * work makes room for them. A hint, in memory of one node. Moments are those of `performance.now()`.
 */

/** Who writes once is likely to write again within this time (milliseconds). */
const RECENT_MS = 2000

export class Foreground {
  #last = Number.NEGATIVE_INFINITY

  /** Somebody waits. */
  note(now: number): void {
    this.#last = now
  }

  isBusy(now: number): boolean {
    return now - this.#last < RECENT_MS
  }
}

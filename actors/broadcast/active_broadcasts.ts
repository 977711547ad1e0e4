/**
 * Number of active broadcasts on this node. The more there are the smaller their shares, so that all of them move on
 * together and the first hundred of one does not wait for all of another. A hint, in memory: a wrong number only makes
 * shares larger.
 */

/** A broadcast without activity for this long (milliseconds) has ended, is stalled, or went to another node. */
const FORGOTTEN_MS = 5_000

export class ActiveBroadcasts {
  /** Last activity of each broadcast, by its id: the least recent comes first. */
  readonly #seen = new Map<string, number>()

  /** Records that a broadcast has recipients to take up. Returns the number of such broadcasts. */
  join(id: string, now: number): number {
    this.#seen.delete(id)
    this.#seen.set(id, now)
    for (const [other, at] of this.#seen) {
      if (now - at <= FORGOTTEN_MS) break
      this.#seen.delete(other)
    }
    return this.#seen.size
  }

  get size(): number {
    return this.#seen.size
  }

  leave(id: string): void {
    this.#seen.delete(id)
  }
}

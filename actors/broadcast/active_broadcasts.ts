/**
 * How many broadcasts this node has under way. They take smaller shares the more there are, so that all of them move on
 * together and nobody's first hundred waits for everybody else's. A hint, in memory: what it does not know only makes
 * shares larger.
 */

/** One that was not heard of for so long (milliseconds) has ended, stands still, or went to another node. */
const FORGOTTEN_MS = 5_000

export class ActiveBroadcasts {
  /** When each was last heard of, by its id: the longest ago comes first. */
  readonly #seen = new Map<string, number>()

  /** A broadcast has recipients to take up. Returns how many broadcasts have. */
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

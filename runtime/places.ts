/**
 * Where PostgreSQL keeps the states of actors (ctid), as far as this node has seen it. A row that is looked for by its key costs a
 * look at each version that a snapshot keeps; at its place there is one. A place that is wrong costs such a look, no more:
 * the address is compared (migration 0024).
 */

/** Some 150 bytes each. */
const MOST = 100_000

export class Places {
  readonly #most: number
  /** In the order in which they were seen. */
  readonly #places = new Map<string, string>()

  constructor(most = MOST) {
    this.#most = most
  }

  of(address: string): string | undefined {
    return this.#places.get(address)
  }

  see(address: string, place: string): void {
    this.#places.delete(address)
    this.#places.set(address, place)
    if (this.#places.size <= this.#most) return
    for (const oldest of this.#places.keys()) {
      this.#places.delete(oldest)
      break
    }
  }
}

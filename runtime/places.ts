/**
 * The places (ctid) at which PostgreSQL keeps the states of actors, as this node last saw them. Finding a row by its
 * key scans each version that a snapshot keeps; its place holds one version. A wrong place costs such a scan, no more:
 * the address is compared (migration 0024).
 */

/** Entries of some 150 bytes each. */
const MOST = 100_000

export class Places {
  readonly #most: number
  /** In the order in which they were last seen. */
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

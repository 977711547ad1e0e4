/**
 * The locations (ctid) at which PostgreSQL keeps the states of actors, as this node last saw them. Finding a row by its
 * key scans each version that a snapshot keeps; its location holds one version. A wrong location costs such a scan, no
 * more: the address is compared (migration 0024).
 */

/** Entries of some 150 bytes each. */
const MAX = 100_000

export class RowLocations {
  readonly #most: number
  /** In the order in which they were last seen. */
  readonly #locations = new Map<string, string>()

  constructor(most = MAX) {
    this.#most = most
  }

  of(address: string): string | undefined {
    return this.#locations.get(address)
  }

  see(address: string, location: string): void {
    this.#locations.delete(address)
    this.#locations.set(address, location)
    if (this.#locations.size <= this.#most) return
    for (const oldest of this.#locations.keys()) {
      this.#locations.delete(oldest)
      break
    }
  }
}

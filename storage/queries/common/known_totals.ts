import type { Database } from '../../database/database.ts'

/** Maximum searches whose totals a process keeps. */
const MAX = 1000

/**
 * Totals of earlier counts, with the version of the data. A total is valid as long as the version, which the caller has
 * just read, is the same.
 */
class KnownTotals {
  readonly #totals = new Map<string, { version: string; total: number }>()

  get(search: string, version: string): number | undefined {
    const known = this.#totals.get(search)
    return known?.version === version ? known.total : undefined
  }

  set(search: string, version: string, total: number): void {
    // The most recent counts are dropped last.
    this.#totals.delete(search)
    this.#totals.set(search, { version, total })
    if (this.#totals.size > MAX) this.#totals.delete(this.#totals.keys().next().value!)
  }
}

const known = new WeakMap<Database, KnownTotals>()

export function knownTotals(database: Database): KnownTotals {
  const totals = known.get(database) ?? new KnownTotals()
  known.set(database, totals)
  return totals
}

import type { Database } from '../database.ts'

/** Searches whose totals a process keeps. */
const MOST = 1000

/**
 * Totals that were counted once, and the version of the data they were counted on or after. One is good for as long as
 * the version is the same; whoever asks has just read it.
 */
class KnownTotals {
  readonly #totals = new Map<string, { version: string; total: number }>()

  get(search: string, version: string): number | undefined {
    const known = this.#totals.get(search)
    return known?.version === version ? known.total : undefined
  }

  set(search: string, version: string, total: number): void {
    // What was counted last is forgotten last.
    this.#totals.delete(search)
    this.#totals.set(search, { version, total })
    if (this.#totals.size > MOST) this.#totals.delete(this.#totals.keys().next().value!)
  }
}

const known = new WeakMap<Database, KnownTotals>()

export function knownTotals(database: Database): KnownTotals {
  const totals = known.get(database) ?? new KnownTotals()
  known.set(database, totals)
  return totals
}

/** The table of rates, which all projects of a node share. */
import { type Database, listRates } from '../../storage/mod.ts'
import { RateTable } from './rate_table.ts'

/** Milliseconds after which a node reads the rates again: another node may have loaded new ones. */
const FRESH_MS = 10_000

type Known = { read_at: number; table: Promise<RateTable> }

const known = new WeakMap<object, Known>()

/** The rates, at most ten seconds old. */
export function readRateTable(database: Database): Promise<RateTable> {
  const at = performance.now()
  const last = known.get(database.orm)
  if (last && at - last.read_at < FRESH_MS) return last.table
  const table = listRates(database).then((rates) => new RateTable(rates))
  known.set(database.orm, { read_at: at, table })
  // The next reader tries again.
  table.catch(() => known.delete(database.orm))
  return table
}

/** Makes this node read the rates again. Call it after they were changed. */
export function forgetRates(database: Database): void {
  known.delete(database.orm)
}

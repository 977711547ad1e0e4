import type { Database } from '../database/database.ts'
import type { Origin } from '../database/origin.ts'

/**
 * The same database for one caller: the named transactions of `setup/` write an audit entry of this origin for each
 * record that they change. Without an origin they write none.
 */
export function actingFor(database: Database, origin: Origin): Database {
  return Object.create(database, { origin: { value: origin, enumerable: true } })
}

/** The same database without a caller, for work that follows a change and is part of its audit entry. */
export function withoutOrigin(database: Database): Database {
  return Object.create(database, { origin: { value: undefined, enumerable: true } })
}

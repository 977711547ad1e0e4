/** Creates and drops the daily tables of events, deliveries and attempts. */

import type { Database } from '../database/database.ts'
import { advisoryLock } from '../sql/advisory_locks.ts'
import { sql } from '../sql/sql.ts'

const DAYS_AHEAD = 7
/** One node at a time. */
const LOCK = advisoryLock('day_tables')

/** In SQL, so that only the clock of the database decides what is old. */
const TODAY = sql`(now() at time zone 'utc')::date`

/**
 * Creates the tables of the coming days, and drops those older than `keep_days`, if any. Any node may call it at any time.
 *
 * @param keep_days null: keeps them all
 * @returns the names of the dropped tables
 * @throws when other sessions lock the tables for 2 s; call it again later
 */
export async function keepDayTables(database: Database, keep_days: number | null): Promise<string[]> {
  return database.em().transactional(async (em) => {
    // A wait for a table blocks its writers: better to try again later.
    await em.execute(sql`set local lock_timeout = '2s'`)
    await em.execute(sql`select pg_advisory_xact_lock(${LOCK})`)
    await em.execute(sql`select day_tables_add(${TODAY} - 1, ${TODAY} + ${DAYS_AHEAD})`)
    if (keep_days === null) return []
    const rows = await em.execute<{ name: string }[]>(sql`select day_tables_drop(${TODAY} - ${keep_days}) as name`)
    return rows.map(({ name }) => name)
  })
}

/** Events, deliveries and attempts are kept in a table a day; these make and drop them. */
import type { Database } from './database.ts'

const DAYS_AHEAD = 7
/** Any number that nothing else uses: one node at a time. */
const LOCK = 7_307_264_813

/** In SQL, so that no other clock than that of the database can decide what is old. */
const TODAY = "(now() at time zone 'utc')::date"

/**
 * Makes the tables of the days to come, and drops those older than `keep_days`. Any node may call it at any time.
 *
 * @returns the names of the dropped tables
 * @throws when the tables stay locked by others for 2 s; call it again later
 */
export async function keepDayTables(database: Database, keep_days: number): Promise<string[]> {
  return database.em().transactional(async (em) => {
    // Waiting for a table keeps its writers waiting behind: better to come again.
    await em.execute(`set local lock_timeout = '2s'`)
    await em.execute(`select pg_advisory_xact_lock(${LOCK})`)
    await em.execute(`select day_tables_add(${TODAY} - 1, ${TODAY} + ${DAYS_AHEAD})`)
    const rows = await em.execute<{ name: string }[]>(`select day_tables_drop(${TODAY} - ${keep_days}) as name`)
    return rows.map(({ name }) => name)
  })
}

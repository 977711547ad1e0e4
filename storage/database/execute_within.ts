import { type Sql, sql } from '../sql/sql.ts'
import type { Database } from './database.ts'

/** PostgreSQL's code for a statement that it has cancelled. */
const CANCELLED = '57014'

/**
 * Runs a read that the server ends after `ms` milliseconds, so that it frees its connection even when its answer is no
 * longer wanted. For statements whose cost clients decide. Undefined when the time was not enough.
 */
export async function executeWithin<Row>(database: Database, ms: number, statement: Sql): Promise<Row[] | undefined> {
  try {
    return await database.em().transactional(async (em) => {
      await em.execute(sql`set local statement_timeout = ${ms}`)
      return em.execute<Row[]>(statement)
    })
  } catch (error) {
    if ((error as { code?: string }).code === CANCELLED) return undefined
    throw error
  }
}

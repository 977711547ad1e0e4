/**
 * Guards changes that are stored by a statement of their own, not by an actor's turn. When a standby without the last
 * commits takes over between the statement and the answer, the change is lost, and the answer must not say that it was
 * made.
 */
import { Unavailable } from '../../../runtime/mod.ts'
import { type Database, sql } from '../../../storage/mod.ts'

/**
 * Does the work, and resolves to its result.
 *
 * @throws Unavailable when another history of the database began meanwhile: it is unknown whether the change was kept
 */
export async function inOneHistory<Result>(
  database: Pick<Database, 'history' | 'execute'>,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const before = database.history
  const result = await work()
  // A process notices another server when it connects to it.
  await database.execute(sql`select 1`)
  if (database.history !== before) {
    throw new Unavailable('Another database server has taken over: it is not known whether this was kept.')
  }
  return result
}

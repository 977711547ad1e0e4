import type { Sql } from '../sql/sql.ts'
import type { Session } from './session.ts'

/** Runs statements separated by semicolons as one transaction. Returns the rows of the last one. */
export async function rowsOf<Row>(session: Session, statements: Sql): Promise<Row[]> {
  const result = await session.query(statements.sql)
  return (Array.isArray(result) ? result.at(-1)! : result).rows as Row[]
}

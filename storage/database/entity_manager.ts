import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Sql } from '../sql/sql.ts'

/** MikroORM's, for which a plain text is no statement: it might hold a value that nobody quoted. */
export interface EntityManager extends SqlEntityManager {
  /** Runs one statement and returns its rows. Timestamps come back as text with an offset, not as a `Date`. */
  execute<Rows = Record<string, unknown>[]>(statement: Sql): Promise<Rows>
}

import type { QueryResult } from '@mikro-orm/core'
import { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Sql } from './sql.ts'

/** MikroORM's, which runs no statement but one of the tag `sql`: a plain string may hold a value that nobody quoted. */
export class EntityManager extends SqlEntityManager {
  /** Runs one statement and returns its rows. Timestamps come back as text with an offset, not as a `Date`. */
  override execute<Rows extends QueryResult | unknown[] = Record<string, unknown>[]>(
    statement: Sql | string,
    params: object = [],
  ): Promise<Rows> {
    return super.execute(statement, params as unknown[]) as Promise<unknown> as Promise<Rows>
  }
}

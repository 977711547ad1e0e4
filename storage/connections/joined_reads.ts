/** Several reads in one query: the server answers all of them to one message. */
import type { Sql } from '../sql/sql.ts'
import type { Connections } from './connections.ts'

type Row = Record<string, unknown>

export class JoinedReads {
  readonly #connections: Connections

  constructor(connections: Connections) {
    this.#connections = connections
  }

  /** Resolves to the rows of each statement. Rejects with the driver's error when one of them fails. */
  run(statements: readonly Sql[]): Promise<Row[][]> {
    return this.#connections.lend(async (session) => {
      const results = await session.query(statements.map(({ sql }) => sql).join(';\n'))
      return (Array.isArray(results) ? results : [results]).map(({ rows }) => rows)
    })
  }
}

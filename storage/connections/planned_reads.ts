/**
 * Reads that recur in one shape, over the connections of the pool. A read of a few rows by their keys would take PostgreSQL
 * longer to plan than to execute.
 */
import type { Statement } from '../sql/statement.ts'
import type { Connections } from './connections.ts'
import { PlannedStatements } from './planned_statements.ts'

/** Plans outlive the sizes of tables, so joins are nested loops over indexes. Other statements of the pool keep theirs. */
const SETTINGS = `set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off;
  set local enable_hashjoin = off; set local enable_mergejoin = off`

type Row = Record<string, unknown>

export class PlannedReads {
  readonly #connections: Connections
  readonly #planned = new PlannedStatements()

  constructor(connections: Connections) {
    this.#connections = connections
  }

  /** Resolves to the rows. Rejects with the driver's error; what the session has planned may be what the server refuses. */
  run(statement: Statement): Promise<Row[]> {
    return this.#connections.lend(async (session) => {
      const { texts, succeeded } = this.#planned.words(session, [statement])
      const results = await session.query([SETTINGS, ...texts].join(';\n'))
      succeeded()
      return (Array.isArray(results) ? results.at(-1)! : results).rows
    })
  }
}

/**
 * Reads that recur in one shape, over the connections of the pool. A read of a few rows by their keys would take PostgreSQL
 * longer to plan than to execute.
 */
import type { Statement } from '../sql/statement.ts'
import type { Connections } from './connections.ts'
import { isOutdated, PlannedStatements } from './planned_statements.ts'
import type { Result, Session } from './session.ts'

/** Plans outlive the sizes of tables, so joins are nested loops over indexes. Other statements of the pool keep theirs. */
const SETTINGS = [
  'set local plan_cache_mode = force_generic_plan',
  'set local enable_seqscan = off',
  'set local enable_hashjoin = off',
  'set local enable_mergejoin = off',
]

type Row = Record<string, unknown>

export class PlannedReads {
  readonly #connections: Connections
  readonly #planned = new PlannedStatements()

  constructor(connections: Connections) {
    this.#connections = connections
  }

  /** Resolves to the rows of each statement. What the session has planned is planned anew where the server refuses it. */
  run(statements: readonly Statement[]): Promise<Row[][]> {
    return this.#connections.lend(async (session) => {
      try {
        return await this.#send(session, statements)
      } catch (error) {
        if (!isOutdated(error)) throw error
        this.#planned.forget(session)
        return this.#send(session, statements)
      }
    })
  }

  async #send(session: Session, statements: readonly Statement[]): Promise<Row[][]> {
    const { commands, succeeded } = this.#planned.words(session, statements)
    // More than one command, so more than one result.
    const results = (await session.query([...SETTINGS, ...commands.flat()].join(';\n'))) as Result[]
    succeeded()
    let last = SETTINGS.length - 1
    return commands.map(({ length }) => {
      last += length
      return results[last]!.rows
    })
  }
}

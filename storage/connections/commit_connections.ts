/**
 * Connections for commits: one for each concurrent commit, kept open, each with its own prepared statements.
 *
 *  P1 A commit is one query, so one transaction, whether or not its statements are prepared.
 *  P2 A name is used once (`planned_statements.ts`).
 *  P3 Joins are nested loops over indexes, whatever the tables held when the plan was made: plans live long, and the
 *  tables swing between empty and large. Every statement finds its rows by a key.
 *  P4 A commit is sent to the history on which it was decided, or not at all.
 *  P5 A connection whose prepared statements the server refuses is replaced, and the commit, which had no effect, is sent
 *  once more.
 */

import type { Statement } from '../sql/statement.ts'
import type { Connections } from './connections.ts'
import { HistoryChanged } from './history.ts'
import { isOutdated, PlannedStatements } from './planned_statements.ts'
import type { Session } from './session.ts'

/** Maximum commits that wait for a connection. A lane has one commit under way, so there are as many as lanes. */
const MAX_WAITING = 256

/** A commit waits a second for a lock: one locked row must not stop all later commits. */
const SETTINGS = `set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_hashjoin = off;
  set enable_mergejoin = off; set lock_timeout = '1s'`

type Row = Record<string, unknown>

export type CommitOptions = {
  /** Maximum wait of each statement of this commit for a lock; then it fails with 55P03. Milliseconds, default 1000. */
  lock_timeout_ms?: number
  /** The `Database.history` on which the commit was decided. Default: the present one. */
  history?: string | undefined
}

export class CommitConnections {
  readonly #connections: Connections
  readonly #most: number
  #open = 0
  readonly #idle: Session[] = []
  readonly #waiting: (() => void)[] = []
  readonly #planned = new PlannedStatements()

  /** `most`: maximum connections; further commits wait for one. */
  constructor(connections: Connections, most: number) {
    this.#connections = connections
    this.#most = most
  }

  /**
   * Resolves to the rows of all statements, one after the other. Rejects with the driver's error; the server's code in
   * it shows whether anything happened.
   *
   * @throws {HistoryChanged} when the server has another history now; nothing was sent
   */
  async run(statements: readonly Statement[], options: CommitOptions = {}): Promise<Row[]> {
    const { history = this.#connections.history, lock_timeout_ms } = options
    await this.#enter()
    try {
      const former = this.#take()
      try {
        return await this.#send(former ?? (await this.#connect()), statements, history, lock_timeout_ms)
      } catch (error) {
        if (!former || !isOutdated(error)) throw error
        return await this.#send(await this.#connect(), statements, history, lock_timeout_ms)
      }
    } finally {
      this.#leave()
    }
  }

  close(): void {
    for (const session of this.#idle.splice(0)) session.end().catch(() => {})
  }

  async #send(
    session: Session,
    statements: readonly Statement[],
    history: string | undefined,
    lock_timeout_ms: number | undefined,
  ): Promise<Row[]> {
    if (history !== undefined && history !== this.#connections.history) {
      this.#idle.push(session)
      throw new HistoryChanged()
    }
    const { commands, succeeded } = this.#planned.words(session, statements)
    const texts = commands.flat()
    if (lock_timeout_ms !== undefined) texts.unshift(`set local lock_timeout = ${Math.ceil(lock_timeout_ms)}`)
    let is_lost = true
    try {
      const results = await session.query(texts.join(';\n'))
      succeeded()
      is_lost = false
      return Array.isArray(results) ? results.flatMap(({ rows }) => rows) : results.rows
    } catch (error) {
      // With severity ERROR the server refused a statement and goes on; any other error ends the connection, now or
      // soon.
      is_lost = (error as { severity?: unknown }).severity !== 'ERROR' || isOutdated(error)
      throw error
    } finally {
      if (is_lost || session.is_lost) session.end().catch(() => {})
      else this.#idle.push(session)
    }
  }

  async #enter(): Promise<void> {
    if (this.#open < this.#most) this.#open++
    else if (this.#waiting.length < MAX_WAITING) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else throw new Error(`too many commits wait for a connection (${MAX_WAITING}): let some end first`)
  }

  /** Passes a place on to the commit that waited longest. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#open--
  }

  #take(): Session | undefined {
    for (let session = this.#idle.pop(); session; session = this.#idle.pop()) {
      if (!session.is_lost) return session
    }
    return undefined
  }

  async #connect(): Promise<Session> {
    const session = await this.#connections.open()
    try {
      await session.query(SETTINGS)
      return session
    } catch (error) {
      // The session may be open, only half set up.
      session.end().catch(() => {})
      throw error
    }
  }
}

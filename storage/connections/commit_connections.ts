/**
 * Connections for commits: one for each concurrent commit, kept open, each with its own prepared statements.
 *
 *  P1 A commit is one query, so one transaction, whether or not its statements are prepared.
 *  P2 A name is used once. A statement that a failed query was to prepare is prepared anew under another name.
 *  P3 Joins are nested loops over indexes, whatever the tables held when the plan was made: plans live long, and the
 *  tables swing between empty and large. Every statement finds its rows by a key.
 *  P4 A commit is sent to the history on which it was decided, or not at all.
 */

import { plain, type Statement } from '../sql/statement.ts'
import type { Connections } from './connections.ts'
import { HistoryChanged } from './history.ts'
import type { Session } from './session.ts'

/** Statements of a shape seen this often are prepared. */
const OFTEN = 3
/** Maximum prepared statements of a connection: each takes some tens of kilobytes on the server. */
const MAX = 200
/** Maximum shapes counted before all counts are dropped. */
const MAX_SHAPES = 2000
/** Maximum commits that wait for a connection. A lane has one commit under way, so there are as many as lanes. */
const MAX_WAITING = 256

/** A commit waits a second for a lock: one locked row must not stop all later commits. */
const SETTINGS = `set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_hashjoin = off;
  set enable_mergejoin = off; set lock_timeout = '1s'`

type Row = Record<string, unknown>
type Connection = { session: Session; prepared: Map<string, string>; names: number }

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
  readonly #idle: Connection[] = []
  readonly #waiting: (() => void)[] = []
  readonly #seen = new Map<string, number>()

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
      const connection = this.#take() ?? (await this.#connect())
      if (history !== undefined && history !== this.#connections.history) {
        this.#idle.push(connection)
        throw new HistoryChanged()
      }
      return await this.#send(connection, statements, lock_timeout_ms)
    } finally {
      this.#leave()
    }
  }

  close(): void {
    for (const { session } of this.#idle.splice(0)) session.end().catch(() => {})
  }

  async #send(connection: Connection, statements: readonly Statement[], lock_timeout_ms?: number): Promise<Row[]> {
    const { session } = connection
    const fresh = new Map<string, string>()
    const words = statements.map((statement) => this.#word(connection, statement, fresh))
    if (lock_timeout_ms !== undefined) words.unshift(`set local lock_timeout = ${Math.ceil(lock_timeout_ms)}`)
    let is_lost = true
    try {
      const results = await session.query(words.join(';\n'))
      for (const [text, name] of fresh) connection.prepared.set(text, name)
      is_lost = false
      return Array.isArray(results) ? results.flatMap(({ rows }) => rows) : results.rows
    } catch (error) {
      // With severity ERROR the server refused a statement and goes on; any other error ends the connection, now or
      // soon.
      is_lost = (error as { severity?: unknown }).severity !== 'ERROR'
      throw error
    } finally {
      if (is_lost || session.is_lost) session.end().catch(() => {})
      else this.#idle.push(connection)
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

  #take(): Connection | undefined {
    for (let connection = this.#idle.pop(); connection; connection = this.#idle.pop()) {
      if (!connection.session.is_lost) return connection
    }
    return undefined
  }

  async #connect(): Promise<Connection> {
    const session = await this.#connections.open()
    try {
      await session.query(SETTINGS)
      return { session, prepared: new Map(), names: 0 }
    } catch (error) {
      // The session may be open, only half set up.
      session.end().catch(() => {})
      throw error
    }
  }

  /** The text of a statement on a connection. Statements to be prepared with it are added to `fresh`. */
  #word(connection: Connection, statement: Statement, fresh: Map<string, string>): string {
    const { text, params } = statement
    if (params.length === 0) return text
    const { prepared } = connection
    const known = prepared.get(text) ?? fresh.get(text)
    if (known) return execution(known, statement)
    if (!this.#isOften(text)) return plain(statement)
    // Drops all of them, unused shapes included, to make room.
    const forget = fresh.size === 0 && prepared.size >= MAX
    if (forget) prepared.clear()
    const name = `p${++connection.names}`
    fresh.set(text, name)
    const types = params.map(({ type }) => type).join(', ')
    return `${forget ? 'deallocate all; ' : ''}prepare ${name} (${types}) as ${text}; ${execution(name, statement)}`
  }

  #isOften(text: string): boolean {
    const seen = (this.#seen.get(text) ?? 0) + 1
    if (this.#seen.size >= MAX_SHAPES) this.#seen.clear()
    this.#seen.set(text, seen)
    return seen >= OFTEN
  }
}

function execution(name: string, { params }: Statement): string {
  return `execute ${name}(${params.map(({ value }) => value).join(', ')})`
}

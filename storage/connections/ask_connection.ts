/**
 * Runs statements that must be answered soon or not at all, over a connection of their own: waiting for a busy pool
 * must not look like a silent server. One at a time; a connection that is late is broken, and the next statement goes
 * to the next server.
 */

import type { Sql } from '../sql/sql.ts'
import type { Connections } from './connections.ts'
import type { Session } from './session.ts'

/** The server times out this much later than we do, so that we can tell a late answer from a wrong statement. */
const LATER_MS = 100

type State = { is_asking: boolean; is_late: boolean; until: number }

export class AskConnection {
  readonly #connections: Connections
  #session: Session | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(connections: Connections) {
    this.#connections = connections
  }

  /** The connection, which is kept when others are broken. */
  get session(): Session | undefined {
    return this.#session
  }

  /**
   * The rows of one statement.
   *
   * @throws the server's error, or one that says that there was no answer within `ms` milliseconds
   */
  async ask<Row>(statement: Sql, ms: number): Promise<Row[]> {
    const late = new Error(`Connection terminated: PostgreSQL did not answer within ${ms} ms`)
    const state: State = { is_asking: false, is_late: false, until: performance.now() + ms }
    const answer = this.#last.then(() => {
      if (state.is_late) throw late
      state.is_asking = true
      return this.#ask(statement, state)
    })
    this.#last = answer.catch(() => {})
    let timer: NodeJS.Timeout | undefined
    const over = new Promise<never>((_, reject) => {
      // One turn of the event loop later: an answer that arrived while this process was busy is in time.
      timer = setTimeout(() => setImmediate(() => setImmediate(reject, late)), ms)
    })
    try {
      return (await Promise.race([answer, over])) as Row[]
    } catch (error) {
      if (error === late) {
        state.is_late = true
        if (state.is_asking) this.#hangUp()
      }
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  close(): void {
    this.#session?.end().catch(() => {})
    this.#hangUp()
  }

  async #ask({ sql }: Sql, state: State): Promise<unknown[]> {
    const session = this.#session?.is_lost === false ? this.#session : await this.#open(state)
    // The server times out, too: a statement that waits for a lock would keep its connection after its caller has gone.
    const ms = Math.max(0, Math.ceil(state.until - performance.now())) + LATER_MS
    const results = await session.query(`set local statement_timeout = ${ms}; set local lock_timeout = 0; ${sql}`)
    return Array.isArray(results) ? results.at(-1)!.rows : results.rows
  }

  #open(state: State): Promise<Session> {
    return this.#connections.servers.reach(async () => {
      if (state.is_late) throw new Error('Connection terminated')
      const session = this.#connections.session()
      this.#session = session
      await session.connect()
      return session
    })
  }

  #hangUp(): void {
    const session = this.#session
    this.#session = undefined
    if (!session) return
    session.reset()
    if (session.server) this.#connections.servers.failed(session.server)
  }
}

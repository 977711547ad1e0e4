import { rowsOf } from '../connections/rows_of.ts'
import type { Session } from '../connections/session.ts'
import type { Database } from '../database/database.ts'
import { advisoryLock } from '../sql/advisory_locks.ts'
import { type Sql, sql } from '../sql/sql.ts'

/** One node migrates at a time. */
export const MIGRATION_LOCK = advisoryLock('migration')

/**
 * Removes limits that an operator may have set for requests: they would end an index build that takes an hour, or a
 * waiting session. Transactions set a `lock_timeout` of their own.
 */
const NO_LIMITS = sql`set client_min_messages = warning; select set_config(name, '0', false) from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'idle_session_timeout', 'transaction_timeout')`

/**
 * The one connection of a migration. It holds the lock that keeps other nodes from migrating, and does all the work. A
 * node that loses the connection loses the lock and the work at once, so there are never two at work.
 */
export class MigrationSession {
  readonly #session: Session
  /** The server's process, as `pg_stat_activity` names it. */
  readonly pid: number

  private constructor(session: Session, pid: number) {
    this.#session = session
    this.pid = pid
  }

  /**
   * @throws the driver's error when it cannot connect
   */
  static async open(database: Database): Promise<MigrationSession> {
    const session = await database.session()
    try {
      const [row] = await rowsOf<{ pid: number }>(session, sql`${NO_LIMITS}; select pg_backend_pid() as pid`)
      return new MigrationSession(session, row!.pid)
    } catch (error) {
      session.reset()
      throw error
    }
  }

  /**
   * Takes the lock unless another session has it. Poll it: a session that waited inside PostgreSQL would hold a
   * snapshot, and `create index concurrently` of the lock's holder waits for all snapshots.
   */
  async tryLock(): Promise<boolean> {
    const [row] = await this.run<{ locked: boolean }>(sql`select pg_try_advisory_lock(${MIGRATION_LOCK}) as locked`)
    return row!.locked
  }

  /** Runs statements separated by semicolons as one transaction. Returns the rows of the last one. */
  run<Row = unknown>(statements: Sql): Promise<Row[]> {
    return rowsOf<Row>(this.#session, statements)
  }

  /**
   * Ends the connection, and with it the lock. Does not wait for a statement under way: the server finishes an index
   * build, and keeps the lock until then.
   */
  close(): void {
    this.#session.reset()
  }
}

import './transaction_context.ts'

import type { MikroORM } from '@mikro-orm/postgresql'
import { AskConnection } from '../connections/ask_connection.ts'
import { CommitConnections, type CommitOptions } from '../connections/commit_connections.ts'
import { Connections, type PoolUse } from '../connections/connections.ts'
import type { HistoryChange } from '../connections/history.ts'
import { PlannedReads } from '../connections/planned_reads.ts'
import type { Session } from '../connections/session.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { type Statement, statementOf } from '../sql/statement.ts'
import { DATABASE_MS, learnTime } from '../values/time.ts'
import { openVault, type Vault } from '../vault/credentials.ts'
import type { EntityManager } from './entity_manager.ts'
import type { Origin } from './origin.ts'
import { makeOrm } from './orm.ts'

const CLOSE_MS = 2_000
const CONNECT_MS = 5_000
/** An idle connection of the pool is closed after this time, because other processes may need its place at the server. */
const IDLE_MS = 10_000
/** One slow statement must not block all others. */
const MIN_POOL = 2
/** Maximum connections of a process, of all kinds together. */
const CONNECTIONS = 8
const COMMITTING = 1
const ASKING = 1

/** The connection to PostgreSQL and the secret of a node. */
export type DatabaseOptions = {
  /**
   * A PostgreSQL connection string, with anything libpq-like drivers take (`?sslmode=`, `?host=/socket/dir`). It may
   * name several servers, and names may stand for several addresses: the server that takes writes is used.
   */
  url: string
  /** `PARLEY_SECRET`, under which credentials and webhook secrets are sealed. Without it the vault refuses to work. */
  secret?: string
  /**
   * Maximum connections of this process: one to commit, one for `ask`, and the rest, at least two, as a pool for other
   * statements. Default 8.
   */
  pool_size?: number
  /** Milliseconds to wait for a free or new connection before the call fails, over all servers. Default 5000. */
  connect_timeout_ms?: number
  /** Called with lost connections and other remarks of the driver; never with statements or their values. Default silent. */
  log?: (message: string) => void
}

/** One pool of connections and the mapping of the tables. All functions of `storage/` take it as their first argument. */
export interface Database {
  orm: MikroORM
  /** Connections of the pool, which `execute` and entity managers share. */
  pool_size: number
  readonly pool_use: PoolUse
  /** Opens and seals the encrypted columns. */
  vault: Vault
  /** The caller for whom this handle was made (`actingFor`): named transactions write audit entries of this origin. */
  readonly origin?: Origin
  /** A fresh entity manager with an empty identity map. Take one per unit of work, never share one between requests. */
  em(): EntityManager
  /**
   * Runs one statement and returns its rows. Its values are in the text, so long lists of values take time to parse.
   * Timestamps come back as text with an offset, not as a `Date`.
   */
  execute<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]>
  /**
   * The same for a statement that recurs in one shape: each connection of the pool plans it only once. It has to find its
   * rows by an index.
   */
  read<Row = Record<string, unknown>>(statement: Statement): Promise<Row[]>
  /** The same for several statements as one query. Resolves to the rows of each. */
  readAll(statements: readonly Sql[]): Promise<Record<string, unknown>[][]>
  /**
   * Runs all statements or none, as one transaction and one query, over a connection of its own that plans recurring
   * statements only once. Each statement has to find its rows by an index. Resolves to the rows of all of them, in
   * order.
   *
   * @throws {HistoryChanged} when the server's history is no longer `options.history`; nothing was sent
   */
  commit(statements: readonly Statement[], options?: CommitOptions): Promise<Record<string, unknown>[]>
  /**
   * The rows of one statement, over a connection apart from the pool. The connection is broken
   * when the answer is late; its statement may still be executed.
   *
   * @throws the driver's error, or one that says that there was no answer within `ms` milliseconds
   */
  ask<Row = Record<string, unknown>>(statement: Sql, ms: number): Promise<Row[]>
  /** Opens a connection beside the pool, for work that needs one session. The caller ends it. */
  session(): Promise<Session>
  /** The history that the server continues, as text to compare; undefined where the server does not report it. */
  readonly history: string | undefined
  /**
   * Reports a connection to a server of another history: a standby that was promoted, which may lack the last commits.
   * The listener runs before any statement is sent to that server, after all connections to the former one were broken.
   * Returns the function that stops listening.
   */
  onHistoryChange(listener: (change: HistoryChange) => void): () => void
  /** Breaks all connections, for a server that no longer answers: waiting statements fail as on lost connections. */
  breakConnections(): void
  close(): Promise<void>
}

/**
 * Opens the pool, proves that the server answers and sets the clock of this process by the server's (`values/time.ts`). A
 * connection the server drops later is replaced on the next call and never ends the process.
 *
 * @throws the driver's error when the server cannot be reached within `connect_timeout_ms`
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const vault = openVault(options.secret)
  const { pool_size = CONNECTIONS, connect_timeout_ms = CONNECT_MS } = options
  const connections = new Connections(options.url, connect_timeout_ms, options.log)
  const commits = new CommitConnections(connections, COMMITTING)
  const reads = new PlannedReads(connections)
  const asks = new AskConnection(connections)
  const pooled = Math.max(MIN_POOL, pool_size - COMMITTING - ASKING)
  const orm = makeOrm({
    dbName: databaseName(connections.url),
    logger: options.log ?? (() => {}),
    pool: { min: 0, max: pooled, idleTimeoutMillis: IDLE_MS },
    driverOptions: {
      connectionString: connections.url,
      connectionTimeoutMillis: connect_timeout_ms,
      application_name: 'parley',
      keepAlive: true,
      onPoolCreated: connections.pool,
    },
  })
  const database: Database = {
    orm,
    vault,
    pool_size: pooled,
    get pool_use() {
      return connections.use
    },
    em: () => orm.em.fork() as EntityManager,
    execute: ((...call: [Sql]) => orm.em.getConnection().execute(...call)) as Database['execute'],
    readAll: (statements) => reads.run(statements.map(statementOf)),
    read: (async (statement: Statement) => (await reads.run([statement]))[0]) as Database['read'],
    commit: (statements, how) => commits.run(statements, how),
    ask: (statement, ms) => asks.ask(statement, ms),
    session: () => connections.open(),
    get history() {
      return connections.history
    },
    onHistoryChange: (listener) => connections.onHistoryChange(listener),
    breakConnections: () => connections.break(asks.session),
    async close() {
      connections.close()
      commits.close()
      asks.close()
      // An orderly end would wait for a silent server, and forever for a connection that is being opened.
      let impatience: NodeJS.Timeout | undefined
      const patience = new Promise<void>((resolve) => {
        impatience = setTimeout(resolve, CLOSE_MS)
      })
      await Promise.race([orm.close(true), patience])
      clearTimeout(impatience)
      connections.break()
    },
  }
  try {
    // Connect first: a connect inside the sample would make the time inexact.
    await database.execute(sql`select 1`)
    await sampleTime(database)
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

async function sampleTime(database: Database): Promise<void> {
  const sent = performance.now()
  const rows = await database.execute<{ database_ms: number }>(sql`select ${DATABASE_MS} as database_ms`)
  learnTime({ sent, received: performance.now(), database_ms: rows[0]!.database_ms })
}

function databaseName(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1)) || 'postgres'
}

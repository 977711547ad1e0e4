import './resting_context.ts'

import { Migrator } from '@mikro-orm/migrations'
import { MikroORM, type SqlEntityManager } from '@mikro-orm/postgresql'
import { CommitConnections } from './commit_connections.ts'
import { Connections } from './connections.ts'
import { openVault, type Vault } from './credentials.ts'
import { entities } from './entities/mod.ts'
import { migrations } from './migrations/list.ts'
import type { Statement } from './statement.ts'

const CLOSE_MS = 2_000

/** What a node needs to reach its PostgreSQL. */
export type DatabaseOptions = {
  /** A PostgreSQL connection string, with anything libpq-like drivers take (`?sslmode=`, `?host=/socket/dir`). */
  url: string
  /** `PARLEY_SECRET`, under which credentials and webhook secrets are sealed. Without it the vault refuses to work. */
  secret?: string
  /** Connections this process may hold at once. Default 10. */
  pool_size?: number
  /** Milliseconds to wait for a free or new connection before the call fails. Default 5000. */
  connect_timeout_ms?: number
  /** Told of lost connections and other remarks of the driver; never of statements or their values. Default silent. */
  log?: (message: string) => void
}

/** One pool of connections and the mapping of the tables; everything else in this room takes it as its first argument. */
export type Database = {
  orm: MikroORM
  /** Opens and seals the encrypted columns. */
  vault: Vault
  /** A fresh entity manager with an empty identity map. Take one per unit of work, never share one between requests. */
  em(): SqlEntityManager
  /**
   * Runs one statement with `?` placeholders and returns its rows. The values are escaped into the text (MikroORM's
   * way), so use it for statements that are rare or that take one JSON document, not for long lists of values.
   * Timestamps come back as text with an offset, not as a `Date`.
   */
  execute<Row = Record<string, unknown>>(sql: string, params?: readonly unknown[]): Promise<Row[]>
  /**
   * Runs all statements or none, as one transaction and one query, over a connection of its own that plans what comes again
   * and again only once. Each statement has to find its rows by an index.
   */
  commit(statements: readonly Statement[], options?: { lock_timeout_ms?: number | undefined }): Promise<void>
  ask<Row = Record<string, unknown>>(sql: string, ms: number): Promise<Row[]>
  onRewound(listener: () => void): void
  /** Whether the server answers within `ms` milliseconds, whatever the pool is busy with. Never rejects. */
  answers(ms: number): Promise<boolean>
  /** Breaks all connections, for a server that does not answer any more: what waits on them fails, as lost connections do. */
  breakConnections(): void
  close(): Promise<void>
}

/**
 * Opens the pool and proves that the server answers.
 * A connection the server drops later is replaced on the next call and never ends the process.
 *
 * @throws the driver's error when the server cannot be reached within `connect_timeout_ms`
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const vault = openVault(options.secret)
  const connections = new Connections()
  const commits = new CommitConnections(connections)
  const orm = new MikroORM({
    dbName: databaseName(options.url),
    entities,
    extensions: [Migrator],
    debug: false,
    colors: false,
    logger: options.log ?? (() => {}),
    discovery: { warnWhenNoEntities: false },
    forceUtcTimezone: true,
    allowGlobalContext: false,
    pool: { min: 0, max: options.pool_size ?? 10, idleTimeoutMillis: 30_000 },
    driverOptions: {
      connectionString: options.url,
      connectionTimeoutMillis: options.connect_timeout_ms ?? 5_000,
      application_name: 'parley',
      keepAlive: true,
      stream: connections.stream,
      onPoolCreated: connections.pool,
      onConnect: connections.greet,
    },
    migrations: { migrationsList: migrations, tableName: 'migration', snapshot: false, silent: true },
  })
  const database: Database = {
    orm,
    vault,
    em: () => orm.em.fork(),
    execute: (sql, params = []) => orm.em.getConnection().execute(sql, [...params], 'all'),
    commit: (statements) => commits.run(statements),
    ask: (sql) => orm.em.getConnection().execute(sql, [], 'all'),
    onRewound: () => {},
    answers: (ms) => connections.answer(ms),
    breakConnections: () => connections.break(),
    async close() {
      commits.close()
      connections.close()
      // An end in order waits for a server that may be silent, and for a connection that is being opened for ever.
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
    await database.execute('select 1')
  } catch (error) {
    await orm.close(true)
    throw error
  }
  return database
}

function databaseName(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1)) || 'postgres'
}

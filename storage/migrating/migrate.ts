/**
 * Brings a database up to date while nodes of the release before work on it.
 *
 *  G1 One node at a time migrates. The others wait, and continue when nothing is left to do or that node is gone.
 *  G2 Each step of a migration commits together with the record that it is done (`migration_progress`, then
 *  `migration`). An index, which no transaction can build, is checked instead. So an interrupted migration continues
 *  where it stopped.
 *  G3 A database that is newer than this node's release counts as up to date: after an upgrade has begun, nodes of the
 *  release before may still start.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import { migrations } from '../migrations/list.ts'
import type { Migration } from '../migrations/step.ts'
import { sql } from '../sql/sql.ts'
import { runMigration, TABLES } from './run.ts'
import { MigrationSession } from './session.ts'
import type { MigrationLog, Run } from './step_run.ts'

/** Pause between two checks whether another node is still migrating. */
const LOOK_MS = 500
/** Pause between two log lines about that. */
const SAY_MS = 10_000
/** A start gives up a step that changes a table in use after this time. */
const PATIENCE_MS = 60_000

export type MigrateOptions = {
  /** Receives progress lines; a logger's `info` will do. Default silent. */
  log?: MigrationLog | undefined
  /** Aborts between two statements. The statement under way finishes in the server; a later call continues. */
  signal?: AbortSignal | undefined
  /** Maximum time for a step that needs a table in use. Default 60,000. */
  patience_ms?: number
  /** Pause between two lines about a long step. Default 10,000. */
  say_ms?: number
  /** Default: all of them. */
  list?: readonly Migration[]
}

/**
 * Brings the tables up to the newest migration. Any number of nodes may call it at once: one works, the others wait and
 * find nothing left to do. When the tables are up to date it costs two queries.
 *
 * @returns the names of the migrations that this call completed
 * @throws {TablesInUse} when other sessions hold a table for longer than `patience_ms`
 * @throws {MigrationFailed} when the server refuses a step, or the connection is lost; the next call continues there
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<string[]> {
  const { list = migrations, log = () => {}, signal, patience_ms = PATIENCE_MS, say_ms = SAY_MS } = options
  signal?.throwIfAborted()
  if (await isUpToDate(database, list)) return []
  const session = await MigrationSession.open(database)
  const end = () => session.close()
  signal?.addEventListener('abort', end)
  try {
    for (let said: number | undefined; !(await session.tryLock()); await pause(LOOK_MS, undefined, { signal })) {
      if (await isUpToDate(database, list)) return []
      if (said !== undefined && performance.now() - said < say_ms) continue
      log({}, 'another node migrates the database: this one waits for it')
      said = performance.now()
    }
    return await apply(list, { session, database, log, signal, patience_ms, say_ms })
  } catch (error) {
    // Throw the reason of the abort, not the error it caused in the statement.
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', end)
    session.close()
  }
}

async function apply(list: readonly Migration[], run: Run): Promise<string[]> {
  await run.session.run(TABLES)
  const { missing } = await compareMigrations(run.database, list)
  if (missing.length === 0) return []
  const began = performance.now()
  run.log({ migrations: missing }, 'migrating the database')
  for (const migration of list) if (missing.includes(migration.name)) await runMigration(migration, run)
  run.log({ ms: Math.round(performance.now() - began) }, 'the database is up to date')
  return missing
}

async function isUpToDate(database: Database, list: readonly Migration[]): Promise<boolean> {
  return (await compareMigrations(database, list)).missing.length === 0
}

/** The names of migrations that the database lacks, and of those that a newer release has applied to it. */
export async function compareMigrations(
  database: Database,
  list: readonly Migration[] = migrations,
): Promise<{ missing: string[]; newer: string[] }> {
  const [found] = await database.execute<{ table: string | null }>(
    sql`select to_regclass('migration')::text as "table"`,
  )
  const rows = found?.table ? await database.execute<{ name: string }>(sql`select name from migration`) : []
  const applied = new Set(rows.map(({ name }) => name))
  const known = new Set(list.map(({ name }) => name))
  return { missing: [...known.difference(applied)], newer: [...applied.difference(known)] }
}

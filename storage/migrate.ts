import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from './database.ts'
import { migrations } from './migrations/list.ts'

/** Any number will do as long as every node of a cluster uses the same one and nothing else does. */
const migrationLock = 7_307_264_812
/**
 * For how long a migration waits for a table that somebody uses. Whoever comes after it waits too, so while a backup or a
 * long query reads the table, nodes that work would stand still until it ends.
 */
const LOCK_MS = 1000
/** Between two tries: the nodes catch up. */
const AGAIN_MS = 4000
/** After which a start gives up. */
const PATIENCE_MS = 60_000
/** The wait is over, or a commit of a node waits for a table that the migration has. */
const IN_USE = new Set(['55P03', '40P01'])

/** `message` is a sentence that says what to do. */
export class TablesInUse extends Error {
  override name = 'TablesInUse'
}

/**
 * Brings the tables up to the newest migration. Any number of nodes may call it at once: one works, the others wait and
 * find nothing left to do. When the tables are up to date it costs one query.
 *
 * @returns the names of the migrations applied by this call
 * @throws {TablesInUse} when others hold a table for longer than `patience_ms`
 */
export async function migrate(database: Database, patience_ms = PATIENCE_MS): Promise<string[]> {
  for (const end = performance.now() + patience_ms; ; await pause(AGAIN_MS)) {
    if (await isUpToDate(database)) return []
    try {
      return await apply(database)
    } catch (error) {
      if (!isInUse(error)) throw error
      if (performance.now() > end) {
        const text = `A table that has to be changed is in use all the time (${(error as Error).message}): let backups and long queries end, then start again.`
        throw new TablesInUse(text, { cause: error })
      }
    }
  }
}

function isInUse(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return IN_USE.has((error as { code?: string }).code ?? '') || isInUse(error.cause)
}

async function apply(database: Database): Promise<string[]> {
  // The lock lives as long as this transaction, so that a node that dies in the middle releases it.
  return database.em().transactional(async (em) => {
    await em.execute('set local lock_timeout = 0')
    await em.execute('select pg_advisory_xact_lock(?)', [migrationLock])
    await em.execute(`set local lock_timeout = ${LOCK_MS}`)
    const applied = await database.orm.migrator.up({ transaction: em.getTransactionContext() })
    return applied.map(({ name }) => name)
  })
}

async function isUpToDate(database: Database): Promise<boolean> {
  const [found] = await database.execute<{ table: string | null }>(`select to_regclass('migration')::text as "table"`)
  if (!found?.table) return false
  const done = await database.execute<{ name: string }>('select name from migration')
  const names = new Set(done.map(({ name }) => name))
  return migrations.every(({ name }) => names.has(name))
}

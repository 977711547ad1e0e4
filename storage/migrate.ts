import type { Database } from './database.ts'
import { migrations } from './migrations/list.ts'

/** Any number will do as long as every node of a cluster uses the same one and nothing else does. */
const migrationLock = 7_307_264_812

/**
 * Brings the tables up to the newest migration. Any number of nodes may call it at once: one works, the others wait and
 * find nothing left to do. When the tables are up to date it costs one query.
 *
 * @returns the names of the migrations applied by this call
 */
export async function migrate(database: Database): Promise<string[]> {
  if (await isUpToDate(database)) return []
  // The lock lives as long as this transaction, so that a node that dies in the middle releases it.
  return database.em().transactional(async (em) => {
    await em.execute('select pg_advisory_xact_lock(?)', [migrationLock])
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

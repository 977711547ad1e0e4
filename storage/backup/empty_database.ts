import { rowsOf } from '../connections/rows_of.ts'
import type { Session } from '../connections/session.ts'
import type { Database } from '../database/database.ts'
import { sql } from '../sql/sql.ts'
import { BackupError } from './backup_error.ts'
import { OWN } from './catalogue.ts'
import type { Head } from './format.ts'

/** Tables of the migrations themselves. */
const OF_MIGRATIONS = ['migration', 'migration_progress']
/** Tables to which migrations of an empty database add rows. A restore replaces these rows. */
export const SEEDED = ['contact_separation', 'message_text_progress']

/**
 * @throws {BackupError} when the database has rows, tables of another program, or migrations that the archive lacks
 */
export async function mustBeEmpty(database: Database, head: Head): Promise<void> {
  const session = await database.session()
  try {
    await mustHaveNoRows(session)
    await mustNotBeNewer(session, head)
  } finally {
    session.reset()
  }
}

/**
 * Tables of extensions, such as `spatial_ref_sys` of PostGIS, do not count.
 *
 * @throws {BackupError} when a table has rows
 */
export async function mustHaveNoRows(session: Session): Promise<void> {
  const tables = await rowsOf<{ name: string }>(
    session,
    sql`select c.relname as name from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and ${OWN}
     order by c.relname`,
  )
  const names = tables.map(({ name }) => name)
  if (names.length > 0 && !names.includes('migration')) {
    throw new BackupError(
      `The database is not empty: it has the tables of another program (${names.slice(0, 5).join(', ')}).`,
    )
  }
  const filled: string[] = []
  for (const name of names) {
    if (OF_MIGRATIONS.includes(name) || SEEDED.includes(name)) continue
    const [row] = await rowsOf<{ some: boolean }>(session, sql`select exists (select from ${sql.id(name)}) as some`)
    if (row!.some) filled.push(name)
  }
  if (filled.includes('node')) {
    throw new BackupError(
      'The database is not empty: a node of Parley uses it. Stop the nodes, and create a new database.',
    )
  }
  if (filled.length === 0) return
  const some = filled.slice(0, 5).join(', ')
  throw new BackupError(`The database is not empty (${some}${filled.length > 5 ? ', …' : ''}): create a new one.`)
}

async function mustNotBeNewer(session: Session, head: Head): Promise<void> {
  const [found] = await rowsOf<{ table: string | null }>(session, sql`select to_regclass('migration')::text as "table"`)
  if (!found!.table) return
  const rows = await rowsOf<{ name: string }>(session, sql`select name from migration order by id`)
  const newer = rows.map(({ name }) => name).filter((name) => !head.migrations.includes(name))
  if (newer.length === 0) return
  throw new BackupError(
    `The database is empty, but newer than the archive (${newer.join(', ')}): create a new database, without migrating it.`,
  )
}

import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { BulkAction } from '../../entities/tickets/bulk_action.ts'
import { sql } from '../../sql/sql.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'

/** The bulk action with this id, or undefined when the project has none. */
export async function findBulkAction(
  database: Database,
  project_id: string,
  id: string,
): Promise<BulkAction | undefined> {
  const [row] = await readRows(database, BulkAction, { id, project_id })
  return row
}

/** The project's bulk actions, newest first. */
export async function listBulkActions(
  database: Database,
  project_id: string,
  { limit, cursor }: PageOptions,
): Promise<Page<BulkAction>> {
  const where = [sql`project_id = ${project_id}`]
  if (cursor !== undefined) where.push(sql`id < ${cursor}`)
  const rows = await database.execute(
    sql`select ${columnsOf(database, BulkAction)} from bulk_action where ${sql.join(where, ' and ')} order by id desc limit ${limit + 1}`,
  )
  return toPage(toRows<BulkAction>(database, BulkAction, rows), limit, ({ id }) => id)
}

/** The running bulk actions of a project, the oldest first. */
export async function readRunningBulkActions(database: Database, project_id: string): Promise<BulkAction[]> {
  const rows = await readRows(database, BulkAction, { project_id, status: 'running' })
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Their number. */
export async function countRunningBulkActions(database: Database, project_id: string): Promise<number> {
  const [row] = await database.execute<{ count: number }>(
    sql`select count(*)::int as count from bulk_action where project_id = ${project_id} and status = 'running'`,
  )
  return row!.count
}

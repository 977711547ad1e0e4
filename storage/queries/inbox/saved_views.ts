import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import { SavedView } from '../../entities/inbox/saved_view.ts'
import { sql } from '../../sql/sql.ts'
import { type Authored, visibleTo } from '../common/owned_records.ts'
import { countOfFilter } from './counts.ts'

type Reader = { project_id: string; user_id: string }

/** The views that the agent sees, in their order. */
export async function listSavedViews(database: Database, reader: Reader): Promise<Authored<SavedView>[]> {
  const rows = await database.execute<Record<string, unknown> & { full_name: string | null }>(sql`
    select ${columnsOf(database, SavedView, sql`w`)}, u.full_name from saved_view w
    left join "user" u on u._id = w.created_by where ${visibleTo(sql`w`, reader)}
    order by w.position, w.name, w._id`)
  return toRows(database, SavedView, rows) as Authored<SavedView>[]
}

/** The views of a project that are shared, or belong to one of these users. */
export async function readSavedViews(
  database: Database,
  project_id: string,
  user_ids: readonly string[],
): Promise<SavedView[]> {
  const rows = await database.execute(sql`
    select ${columnsOf(database, SavedView)} from saved_view
    where project_id = ${project_id} and (owner_id is null or owner_id = any (${user_ids}))`)
  return toRows(database, SavedView, rows)
}

/** Views that are counted. */
const MAX_COUNTED = 30
/** Tickets of a saved view beyond this number are not counted. */
export const MAX_VIEW_TICKETS = 100

/** Counts of the agent's views, in their order; null where the tickets are found by more than an index. */
export async function countSavedViews(database: Database, reader: Reader) {
  const views = await listSavedViews(database, reader)
  const counted = views
    .filter(({ filter: { search, is_unread, sort } }) => !search && is_unread === undefined && sort !== 'waiting')
    .slice(0, MAX_COUNTED)
  if (counted.length === 0) return views.map(({ _id }) => ({ _id, tickets: null, unread: null }))
  const most = { tickets: MAX_VIEW_TICKETS, unread: MAX_VIEW_TICKETS }
  const statements = counted.map(({ _id, filter: { sort: _, ...filter } }) => countOfFilter(reader, _id, filter, most))
  const rows = await database.execute<{ name: string; tickets: number; unread: number }>(
    sql.join(statements, ' union all '),
  )
  const counts = new Map(rows.map(({ name, tickets, unread }) => [name, { tickets, unread }]))
  return views.map(({ _id }) => ({ _id, ...(counts.get(_id) ?? { tickets: null, unread: null }) }))
}

import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import { CannedResponse } from '../../entities/inbox/canned_response.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { contains } from '../common/contains.ts'
import { type Page, toPage } from '../common/keyset.ts'
import { type Authored, visibleTo } from '../common/owned_records.ts'

type Reader = { project_id: string; user_id: string }
type Row = Authored<CannedResponse> & { rank: number }

/** The form of `next_cursor`: how well the text matches, a shortcut and an id. */
export const cannedCursor = /^([0-3])~([^~]{1,200})~([0-9a-f]{24})$/

export async function findCannedResponse(
  database: Database,
  reader: Reader,
  _id: string,
): Promise<Authored<CannedResponse> | undefined> {
  const where = sql`${visibleTo(sql`r`, reader)} and r._id = ${_id}`
  const [row] = await read(database, sql`select r.*, 0 as rank from canned_response r where ${where}`)
  return row
}

/**
 * The canned responses that the agent sees, by shortcut. With a `search`, those whose shortcut begins with it come
 * first, then those that have it elsewhere in the shortcut, in the title, in the text. A project has so few that all
 * are looked through.
 */
export async function listCannedResponses(
  database: Database,
  reader: Reader,
  { search = '', is_shared }: { search?: string | undefined; is_shared?: boolean | undefined },
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page<Authored<CannedResponse>>> {
  const begins = sql`starts_with(r.shortcut, ${search.toLowerCase()})`
  const has = (column: Sql) => contains(column, search)
  const rank = sql`case when ${begins} then 0 when ${has(sql`r.shortcut`)} then 1
    when ${has(sql`r.title`)} then 2 when ${has(sql`r.content`)} then 3 end`
  const [, after_rank, shortcut, id] = cannedCursor.exec(cursor ?? '') ?? []
  const after = id ? sql`and (rank, shortcut, _id) > (${Number(after_rank)}, ${shortcut!}, ${id})` : sql``
  const rows = await read(
    database,
    sql`select * from (select r.*, ${rank} as rank from canned_response r where ${visibleTo(sql`r`, reader, is_shared)}) found
    where rank is not null ${after} order by rank, shortcut, _id limit ${limit + 1}`,
  )
  return toPage(rows, limit, ({ rank, shortcut, _id }) => `${rank}~${shortcut}~${_id}`)
}

async function read(database: Database, found: Sql): Promise<Row[]> {
  const rows = await database.execute<Record<string, unknown>>(sql`
    select ${columnsOf(database, CannedResponse, sql`found`)}, found.rank, u.full_name from (${found}) found
    left join "user" u on u._id = found.created_by order by found.rank, found.shortcut, found._id`)
  return toRows(database, CannedResponse, rows) as Row[]
}

/** Owners and shortcuts of all canned responses of a project that are shared, or belong to one of these users. */
export async function readShortcuts(
  database: Database,
  project_id: string,
  user_ids: readonly string[],
): Promise<Pick<CannedResponse, '_id' | 'owner_id' | 'shortcut'>[]> {
  return database.execute(sql`
    select _id, owner_id, shortcut from canned_response
    where project_id = ${project_id} and (owner_id is null or owner_id = any (${user_ids}))`)
}

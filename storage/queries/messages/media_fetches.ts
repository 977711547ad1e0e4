/** Files that are still at their providers. */
import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { MediaFetch } from '../../entities/messages/media_fetch.ts'
import { sql } from '../../sql/sql.ts'

/** The fetches that are due first, up to `limit` of each channel, in the order in which they are due. */
export async function readDueFetches(
  database: Database,
  channel_ids: readonly string[],
  limit: number,
): Promise<MediaFetch[]> {
  if (channel_ids.length === 0) return []
  const rows = await database.execute<Record<string, unknown>>(sql`
    select ${columnsOf(database, MediaFetch, sql`due`)} from unnest(array[${sql.list(channel_ids)}]::text[]) as channel (id)
    cross join lateral (
      select ${columnsOf(database, MediaFetch)} from media_fetch where channel_id = channel.id and failed_at is null order by next_at limit ${limit}
    ) due order by due.next_at, due.media_id`)
  return toRows(database, MediaFetch, rows)
}

/** Days for which a file that was given up may be fetched again: providers keep files no longer. */
const KEPT_DAYS = 30

/** Forgets the files that were given up long ago. Returns their number. */
export async function dropOldFetches(database: Database): Promise<number> {
  const dropped = await database.execute(
    sql`delete from media_fetch where failed_at < now() - ${KEPT_DAYS} * interval '1 day' returning 1`,
  )
  return dropped.length
}

/** The fetches of these files. */
export async function readFetches(
  database: Database,
  project_id: string,
  media_ids: readonly string[],
): Promise<MediaFetch[]> {
  return media_ids.length === 0 ? [] : readRows(database, MediaFetch, { media_id: media_ids, project_id })
}

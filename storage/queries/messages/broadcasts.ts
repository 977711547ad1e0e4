import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { Broadcast, type BroadcastStatus } from '../../entities/broadcasts/broadcast.ts'
import { BroadcastRecipient, type RecipientStatus } from '../../entities/broadcasts/broadcast_recipient.ts'
import { sql } from '../../sql/sql.ts'
import { foldedContains } from '../common/contains.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'

export type BroadcastFilter = {
  status?: BroadcastStatus
  channel_id?: string
  template_name?: string
  campaign_name?: string
  /** A part of the campaign's or the template's name, in either case. */
  search?: string
}

/** As the index `broadcast_names` has them. A search has no line break, so it never matches parts of both. */
const NAMES = sql`coalesce(campaign_name, '') || E'\\x01' || template_name`

/** The broadcast with this id, or undefined when the project has none. */
export async function findBroadcast(
  database: Database,
  project_id: string,
  id: string,
): Promise<Broadcast | undefined> {
  return (await readRows(database, Broadcast, { id, project_id }))[0]
}

/** The project's broadcasts, newest first. */
export async function listBroadcasts(
  database: Database,
  project_id: string,
  { search, ...exact }: BroadcastFilter,
  { limit, cursor }: PageOptions,
): Promise<Page<Broadcast>> {
  const where = Object.entries({ project_id, ...exact }).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${sql.id(column)} = ${value}`],
  )
  if (search) where.push(foldedContains(NAMES, search))
  if (cursor !== undefined) where.push(sql`id < ${cursor}`)
  const rows = await database.execute(
    sql`select ${columnsOf(database, Broadcast)} from broadcast where ${sql.join(where, ' and ')} order by id desc limit ${limit + 1}`,
  )
  return toPage(toRows(database, Broadcast, rows), limit, ({ id }) => id)
}

/** The number of the project's broadcasts that still send, among its latest ones. */
export async function countUnfinished(database: Database, project_id: string): Promise<number> {
  const [row] = await database.execute<{ count: number }>(sql`
    select count(*)::integer as count from (
      select status from broadcast where project_id = ${project_id} order by id desc limit ${LATEST}) latest
    where status in ('queued', 'sending')`)
  return row!.count
}

/** Ids of the project's broadcasts that are paused, among its latest ones. */
export async function listPausedBroadcasts(database: Database, project_id: string): Promise<string[]> {
  const rows = await database.execute<{ id: string }>(sql`
    select id from (
      select id, status, paused_reason from broadcast where project_id = ${project_id} order by id desc limit ${LATEST}) latest
    where status = 'sending' and paused_reason is not null`)
  return rows.map(({ id }) => id)
}

/** Broadcasts that are counted through. */
const LATEST = 10_000

/** A recipient whose `updated_at` is null until it is taken up, with its contact, which is null until it has a message. */
export type ListedRecipient = Omit<BroadcastRecipient, 'broadcast_id' | 'updated_at'> &
  RecipientContact & { updated_at: Date | null }

type RecipientContact = { chat_user: string | null; chat_user_name: string | null }

/** Error of recipients that were not taken up when the broadcast was cancelled. */
const CANCELLED = sql`'{"code":"CANCELLED","message":"The broadcast was cancelled before this message was sent."}'::json`

/**
 * The recipients of a broadcast in the order of the request, after the index `cursor`. Those that were not taken up yet
 * come from their slices, and share one status. One statement, so that no recipient is missed between the two tables.
 */
export async function listRecipients(
  database: Database,
  broadcast_id: string,
  status: RecipientStatus | undefined,
  { limit, cursor }: { limit: number; cursor: number | undefined },
): Promise<Page<ListedRecipient>> {
  const id = sql`${broadcast_id}`
  const from = (cursor ?? -1) + 1
  const condition = status === undefined ? sql`` : sql`where status = ${status}`
  const rows = await database.execute(sql`
    select recipient.*, m.chat_user, c.name as chat_user_name from (
      select * from (
        select index, phone, status, message_id, error, updated_at
        from broadcast_recipient where broadcast_id = ${id} and index >= ${from}
        union all
        select s.first + e.number::int - 1, e.recipient->>'phone',
          case b.status when 'cancelled' then 'failed' else 'pending' end, null,
          case b.status when 'cancelled' then ${CANCELLED} end, null
        from broadcast b
        join broadcast_slice s on s.broadcast_id = b.id
          and s.first + s.size > greatest(b.taken_up, ${from}) and s.first <= greatest(b.taken_up, ${from}) + ${limit}
        cross join lateral json_array_elements(s.recipients) with ordinality as e(recipient, number)
        where b.id = ${id} and s.first + e.number - 1 >= greatest(b.taken_up, ${from})
      ) as one ${condition} order by index limit ${limit + 1}
    ) as recipient left join message m on m.id = recipient.message_id left join contact c on c._id = m.chat_user
    order by index`)
  const recipients = toRows(database, BroadcastRecipient, rows) as (BroadcastRecipient & RecipientContact)[]
  return toPage(recipients, limit, ({ index }) => String(index))
}

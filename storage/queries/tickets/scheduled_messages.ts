import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { ScheduledMessage, type ScheduledMessageStatus } from '../../entities/inbox/scheduled_message.ts'
import type { Contact } from '../../entities/people/contact.ts'
import { sql } from '../../sql/sql.ts'
import { IS_NOTICE } from '../../values/notices.ts'
import { type Page, toPage } from '../common/keyset.ts'
import { timelineCursor } from './timeline.ts'

/** Those that agents still have to do with. */
const IS_OPEN = sql`status in ('scheduled', 'failed')`

/** The open ones of a ticket, in the order of sending, at most `limit`; undefined when the project has no such ticket. */
export async function listScheduledOfTicket(
  database: Database,
  project_id: string,
  ticket_id: string,
  limit: number,
): Promise<ScheduledMessage[] | undefined> {
  const ticket = sql`from ticket where _id = ${ticket_id} and project_id = ${project_id}`
  const rows = await database.execute(
    sql`select ${columnsOf(database, ScheduledMessage)} from scheduled_message
      where ticket_id = ${ticket_id} and project_id = ${project_id} and ${IS_OPEN}
      order by send_at, id limit ${limit}`,
  )
  if (rows.length === 0 && (await database.execute(sql`select ${ticket}`)).length === 0) return undefined
  return toRows(database, ScheduledMessage, rows)
}

/** Those of the project, in the order of sending. Default: the open ones. */
export async function listScheduledMessages(
  database: Database,
  project_id: string,
  filter: { status?: ScheduledMessageStatus | undefined; created_by?: string | undefined },
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page<ScheduledMessage>> {
  const { status, created_by } = filter
  const where = [sql`project_id = ${project_id}`, status ? sql`status = ${status}` : IS_OPEN]
  if (created_by !== undefined) where.push(sql`created_by = ${created_by}`)
  const [, ms, id] = timelineCursor.exec(cursor ?? '') ?? []
  if (ms && id) {
    const at = sql`${new Date(Number(ms))}`
    where.push(sql`(send_at, id) > (${at}::timestamptz, ${id.toLowerCase()})`)
  }
  const rows = await database.execute(
    sql`select ${columnsOf(database, ScheduledMessage)} from scheduled_message where ${sql.join(where, ' and ')}
      order by send_at, id limit ${limit + 1}`,
  )
  const found = toRows(database, ScheduledMessage, rows)
  return toPage(found, limit, ({ send_at, id }) => `${send_at.getTime()}_${id}`)
}

/** `contact`: that of the ticket; null when it was erased. */
export type FoundScheduled = ScheduledMessage & {
  /** The person has written since it was scheduled. */
  is_answered: boolean
  contact: Pick<Contact, 'channel_type' | 'channel_id' | 'user_id' | 'bsuid' | 'send_to'> | null
}

/** Scheduled messages by id, for a turn. */
export async function readScheduledMessages(
  database: Database,
  project_id: string,
  ids: readonly string[],
): Promise<FoundScheduled[]> {
  const rows = await database.execute(sql`
    select ${columnsOf(database, ScheduledMessage, sql`s`)}, s.status = 'scheduled' and s.cancel_if_answered and exists (
      select from message where chat_user = s.chat_user and direction = 'inbound' and not (${IS_NOTICE})
        and id > 'msg_' || lpad(to_hex(extract(epoch from s.updated_at)::bigint - 1), 8, '0') and created_at > s.updated_at
    ) as is_answered,
    (select json_build_object('channel_type', channel_type, 'channel_id', channel_id, 'user_id', user_id, 'bsuid', bsuid,
      'send_to', send_to)
      from contact where _id = s.chat_user) as contact
    from scheduled_message s where s.project_id = ${project_id} and s.id in (${sql.list(ids)})`)
  return toRows(database, ScheduledMessage, rows) as FoundScheduled[]
}

/** Those that a message of the person on these tickets cancels. */
export function readCancelledByAnswer(
  database: Database,
  project_id: string,
  ticket_ids: readonly string[],
): Promise<ScheduledMessage[]> {
  const where = { project_id, ticket_id: ticket_ids, status: 'scheduled' as const }
  return readRows(database, ScheduledMessage, where).then((rows) =>
    rows.filter(({ cancel_if_answered }) => cancel_if_answered),
  )
}

/** Numbers of open ones, of the project and of its tickets. Those of the project are counted up to `most`. */
export async function countScheduled(
  database: Database,
  project_id: string,
  ticket_ids: readonly string[],
  most: number,
): Promise<{ project: number; tickets: Map<string, number> }> {
  const mine = sql`project_id = ${project_id} and ${IS_OPEN}`
  const rows = await database.execute<{ ticket_id: string | null; count: number }>(sql`
    select null as ticket_id, count(*)::int as count from (select from scheduled_message where ${mine} limit ${most}) counted
    union all select ticket_id, count(*)::int from scheduled_message
      where ${mine} and ticket_id in (${sql.list(ticket_ids)}) group by ticket_id`)
  const tickets = new Map(rows.flatMap(({ ticket_id, count }) => (ticket_id === null ? [] : [[ticket_id, count]])))
  return { project: rows.find(({ ticket_id }) => ticket_id === null)!.count, tickets }
}

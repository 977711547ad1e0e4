/** Visitors of the web chat: their messages, and what agents do at their tickets. */
import type { Database } from '../../database/database.ts'
import { readRows, toRows } from '../../database/read_rows.ts'
import { Message } from '../../entities/messages/message.ts'
import { sql } from '../../sql/sql.ts'
import { IS_NOTICE } from '../../values/notices.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'
import { asFarAsFits, isCut } from '../common/page_size.ts'

/** Tickets of a person that are searched for the mark of an agent, the newest first. */
const MAX_TICKETS = 10
/** Messages of a person that are searched for the last one that was read. */
const MAX_MESSAGES = 2_000

/** The columns of a message with which it is shown to its visitor. */
const COLUMNS = [
  ...(['id', 'channel_id', 'direction', 'status', 'type', 'message', 'context', 'meta_data'] as const),
  ...(['provider_message_id', 'created_at'] as const),
]
const columns = sql.join(COLUMNS.map(sql.id), ', ')

export type ShownMessage = Pick<Message, (typeof COLUMNS)[number]>

/** `chat_user`: the contact, which may be that of other visitors too, because contacts are merged. */
export type Visitor = { chat_user: string; user_id: string }

/** A visitor's own messages, newest first: a page ends when its contents exceed `bytes`. */
export async function listVisitorMessages(
  database: Database,
  project_id: string,
  { chat_user, user_id }: Visitor,
  { limit, cursor, bytes }: PageOptions & { bytes: number },
): Promise<Page<ShownMessage>> {
  const earlier = cursor === undefined ? sql`` : sql` and id < ${cursor}`
  const newest = sql`select ${columns} from message
    where project_id = ${project_id} and chat_user = ${chat_user}${earlier}
      and coalesce(case direction when 'inbound' then "from" else "to" end, ${user_id}) = ${user_id}
    order by id desc limit ${limit + 1}`
  const rows = await database.execute<Record<string, unknown> & { found: number }>(
    asFarAsFits(newest, { columns, large: ['message', 'meta_data'], order: sql`id desc`, bytes }),
  )
  return toPage<ShownMessage>(toRows(database, Message, rows), limit, ({ id }) => id, isCut(rows))
}

/** Newest messages of a project among which those of the channel are looked for. */
const MAX_SCANNED = 5_000

/** Seconds that people on a channel waited for an answer, for each of their newest questions; in no order. */
export async function readReplyTimes(database: Database, project_id: string, channel_id: string): Promise<number[]> {
  const rows = await database.execute<{ waited_s: number }>(sql`
    with recent as (
      select id, chat_user, channel_id, direction, status, origin, created_at from message
      where project_id = ${project_id} order by id desc limit ${MAX_SCANNED}),
    turns as (
      select direction, created_at, chat_user, id,
        lag(direction) over (partition by chat_user order by id) is distinct from direction as is_first
      from recent where channel_id = ${channel_id} and chat_user is not null and status <> 'failed')
    select extract(epoch from answered_at - created_at)::float8 as waited_s from (
      select direction, created_at, lead(created_at) over (partition by chat_user order by id) as answered_at
      from turns where is_first) pairs
    where direction = 'inbound' and answered_at is not null`)
  return rows.map(({ waited_s }) => waited_s)
}

/** The stored message of a visitor. `ref`: the provider's id. */
export async function findVisitorMessage(
  database: Database,
  channel_id: string,
  ref: string,
): Promise<Message | undefined> {
  const [row] = await readRows(database, Message, { channel_id, provider_message_id: ref })
  return row
}

/** The visitor of a ticket, and an agent as visitors may see them. */
export type TicketVisitor = {
  channel_id: string
  user_id: string
  chat_user: string
  full_name: string
  photo_sha256: string | null
}

/** Undefined when the person of the ticket did not write last in the web chat. `user_id`: the agent. */
export async function findTicketVisitor(
  database: Database,
  project_id: string,
  ticket_id: string,
  user_id: string,
): Promise<TicketVisitor | undefined> {
  const [row] =
    await database.execute<TicketVisitor>(sql`select e.channel_id, coalesce(c.send_to->>'to', c.user_id) as user_id, c._id as chat_user, u.full_name, u.photo_sha256
       from inbox_entry e join ticket t on t._id = e.ticket_id join contact c on c._id = t.chat_user
       join "user" u on u._id = ${user_id}
      where e.ticket_id = ${ticket_id} and e.project_id = ${project_id} and e.channel_type = 'web' and e.channel_id is not null
        and c.user_id is not null`)
  return row
}

/**
 * The last message of the contact that an agent has read, by the marks of all agents; undefined when there is none, or
 * when it is too far back.
 */
export async function findReadByAgents(
  database: Database,
  project_id: string,
  chat_user: string,
): Promise<Pick<Message, 'id' | 'created_at'> | undefined> {
  const [row] = await database.execute<{ id: string; created_at: string }>(sql`
    with marks as (
      select e.inbound_count, (select max(greatest(r.read_count, r.seen_count)) from ticket_read r where r.ticket_id = t._id) as read_count,
        sum(e.inbound_count) over (order by t._id desc) as inbound
      from (select _id from ticket where chat_user = ${chat_user} and project_id = ${project_id}
        order by _id desc limit ${MAX_TICKETS}) t
      join inbox_entry e on e.ticket_id = t._id
    ), unread as (
      -- The messages of later tickets, and those of this one beyond the mark.
      select (inbound - read_count)::integer as count from marks where read_count > 0 order by inbound limit 1
    )
    select id, created_at from (
      select id, created_at, direction, type, message from message
      where chat_user = ${chat_user} and project_id = ${project_id}
      order by id desc limit ${MAX_MESSAGES}) m
    where direction = 'inbound' and not (${IS_NOTICE}) and exists (select from unread)
    order by id desc limit 1 offset coalesce((select count from unread), 0)`)
  return row && { id: row.id, created_at: new Date(row.created_at) }
}

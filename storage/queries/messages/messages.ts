import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { Channel } from '../../entities/channel.ts'
import { Message, type MessageStatus } from '../../entities/messages/message.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { IS_NOTICE } from '../../values/notices.ts'
import type { Page, PageOptions } from '../common/keyset.ts'
import { readScanned } from '../common/scanned_page.ts'
import { survivorId } from '../common/survivor.ts'
import { createdWithin, type TimeRange } from '../common/time_range.ts'

/** The columns of a message that its sender fills. */
export const largeOfMessage = ['message', 'meta_data'] as const

export type MessageFilter = TimeRange & {
  chat_user?: string
  channel?: string
  direction?: Message['direction']
  status?: MessageStatus
}

/** The message with this id, or undefined when the project has none. */
export async function findMessage(database: Database, project_id: string, id: string): Promise<Message | undefined> {
  return (await readRows(database, Message, { id, project_id }))[0]
}

/** Number of earlier messages of the channel that are searched for those of the same recipient. */
const LOOK_BACK = 1_000

/** The reason why a queued message has not left yet. */
export type Waiting = {
  /** Attempts so far. */
  attempts: number
  /**
   * Null when it may be sent as soon as its turn comes, or the first attempt is under way. When the provider may have
   * accepted the last attempt, the time until which its status is awaited.
   */
  next_attempt_at: Date | null
  /** Error of the last attempt. */
  error: { code: string; message: string } | null
  /** An earlier message of the same recipient that has to leave first. */
  behind: string | null
}

/** Undefined when the message no longer waits. `message_id` must belong to the asker's project. */
export async function findWaiting(database: Database, message_id: string): Promise<Waiting | undefined> {
  const [row] = await database.execute(sql`
    select d.attempts, d.last_error,
      case when d.state = 'queued' or d.last_error is not null then d.next_attempt_at end as next_attempt_at, (
      select e.message_id from (
        select message_id, recipient, number from dispatch
        where channel_id = d.channel_id and number < d.number order by number desc limit ${LOOK_BACK}) e
      where e.recipient = d.recipient order by e.number limit 1) as behind
    from dispatch d where d.message_id = ${message_id}`)
  if (!row) return undefined
  const { attempts, last_error, next_attempt_at, behind } = row as Record<string, unknown>
  return {
    attempts: Number(attempts),
    next_attempt_at: next_attempt_at === null ? null : new Date(next_attempt_at as string),
    error: last_error as Waiting['error'],
    behind: behind as string | null,
  }
}

/** The project's messages, newest first. */
export async function listMessages(
  database: Database,
  project_id: string,
  { chat_user, channel, direction, status, ...range }: MessageFilter,
  { limit, cursor }: PageOptions,
): Promise<Page<Message>> {
  const along = [sql`project_id = ${project_id}`, ...createdWithin(range, { id: 'id', prefix: 'msg_' })]
  const matching: Sql[] = []
  if (cursor !== undefined) along.push(sql`id < ${cursor}`)
  if (chat_user !== undefined) along.push(sql`chat_user = ${survivorId(chat_user)}`)
  if (channel !== undefined) matching.push(sql`channel = ${channel}`)
  if (direction !== undefined) matching.push(sql`direction = ${direction}`)
  if (status !== undefined) {
    const implied = chat_user === undefined && IMPLIED[status]
    if (implied) along.push(sql`status = ${status}`, implied)
    else matching.push(sql`status = ${status}`)
  }
  const scan = { table: sql`message`, columns: columnsOf(database, Message), large: largeOfMessage, along, matching }
  const page = await readScanned<Record<string, unknown> & { id: string }>(database, scan, limit)
  return { ...page, data: toRows(database, Message, page.data) }
}

/** Conditions of the small indexes that a status implies (checks of the table). */
const IMPLIED: Partial<Record<MessageStatus, Sql>> = {
  failed: sql`failed_at is not null`,
  queued: sql`direction = 'outbound' and sent_at is null and failed_at is null`,
}

/** A message of the project by an id from a client: ours, or the provider's. */
export async function findReference(database: Database, project_id: string, id: string): Promise<Message | undefined> {
  if (id.startsWith('msg_')) return (await readRows(database, Message, { id, project_id }))[0]
  const channels = await readRows(database, Channel, { project_id })
  const where = { channel_id: channels.map(({ _id }) => _id), provider_message_id: id }
  return (await readRows(database, Message, where))[0]
}

/** Number of a person's latest messages that are searched for edits of one that is withdrawn. */
const LAST_EDITS = 2_000

/** The notices that edited this message, among the latest messages of its author. */
export async function listEditsOf(database: Database, channel_id: string, original_id: string): Promise<Message[]> {
  const rows = await database.execute(sql`
    select m.* from (
      select ${columnsOf(database, Message)} from message where chat_user in (
        select chat_user from message
        where channel_id = ${channel_id} and provider_message_id = ${original_id}
        union select notice.chat_user from early_status early join message notice on notice.id = early.notice_id
        where early.channel_id = ${channel_id} and early.provider_message_id = ${original_id})
      order by id desc limit ${LAST_EDITS}) m
    where m.type = 'edit' and m.channel_id = ${channel_id}
      and m.message->>'original_message_id' = ${original_id}`)
  return toRows(database, Message, rows)
}

/** Where a person wrote last. */
export type ChatPlace = {
  user_id: string
  channel_id: string
  message_thread_id: unknown
  business_connection_id: unknown
}

/** The places in their chats of the latest messages of people on Telegram; of those who wrote in one. */
export async function latestPlaces(database: Database, project_id: string, user_ids: string[]): Promise<ChatPlace[]> {
  if (user_ids.length === 0) return []
  return database.execute<ChatPlace>(sql`
    select c.user_id, m.channel_id, m.message->'message_thread_id' as message_thread_id,
      m.message->'business_connection_id' as business_connection_id
    from contact c cross join lateral (
      select channel_id, message from message
      where chat_user = coalesce(c.merged_into, c._id) and coalesce("from", c.user_id) = c.user_id and direction = 'inbound' and not (${IS_NOTICE})
      order by id desc limit 1) m
    where c.project_id = ${project_id} and c.channel_type = 'telegram'
      and c.user_id in (${sql.list(user_ids)})
      and (m.message::jsonb ? 'message_thread_id' or m.message::jsonb ? 'business_connection_id')`)
}

/** Maximum messages that a watermark covers: a person who returns after a long time has these to read at most. */
const LAST_OF_PERSON = 200

/** Messages to a person on a channel that can still be delivered or read, oldest first, including `queued` ones. */
export async function listUnreadBy(
  database: Database,
  company_id: string,
  { channel_id, channel_type, user_id }: { channel_id: string; channel_type: string; user_id: string },
): Promise<Message[]> {
  const rows = await database.execute(sql`
    select m.* from contact c
    cross join lateral (
      select ${columnsOf(database, Message)} from message m where m.chat_user = coalesce(c.merged_into, c._id) order by m.id desc limit ${LAST_OF_PERSON}) m
    where c.company_id = ${company_id} and c.channel_type = ${channel_type}
      and c.user_id = ${user_id} and (c.channel_type = 'whatsapp' or lower(m."to") = lower(c.user_id)) and m.channel_id = ${channel_id} and m.direction = 'outbound'
      and m.status in ('queued', 'sent', 'delivered')
    order by m.id`)
  return toRows(database, Message, rows)
}

/** Number of a person's latest messages that are searched for unread ones. */
const LAST_RECEIVED = 500

/** Number of a person's latest messages of which one must be inbound. */
const LAST_TO_ANSWER = 100

/** The last message that each of these contacts wrote, of those among their latest ones, by contact. */
export async function readLastReceived(
  database: Database,
  project_id: string,
  chat_users: string[],
): Promise<Message[]> {
  const rows = await database.execute(sql`
    select m.* from unnest(array[${sql.list(chat_users)}]::text[]) as one (chat_user)
    cross join lateral (
      select * from (
        select ${columnsOf(database, Message)} from message where chat_user = one.chat_user order by id desc limit ${LAST_TO_ANSWER}) l
      where l.project_id = ${project_id} and l.direction = 'inbound' order by l.id desc limit 1) m`)
  return toRows(database, Message, rows)
}

/** Unread messages of a person, of all channels, among the person's latest ones. */
export async function listReceivedFrom(database: Database, project_id: string, chat_user: string): Promise<Message[]> {
  const rows = await database.execute(sql`
    select m.* from (
      select ${columnsOf(database, Message)} from message where chat_user = ${chat_user} order by id desc limit ${LAST_RECEIVED}) m
    where m.project_id = ${project_id} and m.direction = 'inbound' and m.status = 'received'`)
  return toRows(database, Message, rows)
}

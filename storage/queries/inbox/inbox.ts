/**
 * The inbox: tickets as agents see them in their list. A page is chosen first (`choice.ts`), then its tickets are
 * joined with what their rows show.
 */
import type { Database } from '../../database/database.ts'
import type { Read } from '../../database/read_rows.ts'
import type { User } from '../../entities/access/user.ts'
import type { Message } from '../../entities/messages/message.ts'
import type { Contact } from '../../entities/people/contact.ts'
import type { Tag } from '../../entities/tickets/tag.ts'
import type { TicketHandler, TicketPriority } from '../../entities/tickets/ticket.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { IS_NOTICE } from '../../values/notices.ts'
import { type Page, pageUntil } from '../common/keyset.ts'
import { toDate } from '../common/tables.ts'
import { handledBy } from '../tickets/handled_by.ts'
import { timelineCursor } from '../tickets/timeline.ts'
import { type Chosen, choose, readBy } from './choice.ts'

export type InboxView = 'mine' | 'unassigned' | 'all'

export type InboxFilter = {
  /** Default: all. */
  view?: InboxView | undefined
  /** Default: open tickets. */
  is_closed?: boolean | undefined
  /** Open tickets: snoozed ones alone, or all others. Default: all others. */
  is_snoozed?: boolean | undefined
  /** Those with messages that the agent has not read. */
  is_unread?: boolean | undefined
  /** Those with a reply that failed, and none sent since. */
  is_failed?: boolean | undefined
  stage_id?: string | undefined
  channel_type?: string | undefined
  channel_id?: string | undefined
  tag_id?: string | undefined
  priority?: TicketPriority | undefined
  assigned_to?: string | undefined
  handled_by?: TicketHandler | undefined
  /** Part of the name, the phone or the id of the contact. */
  search?: string | undefined
}

/** `waiting`: tickets whose person waits for an answer, the longest first. */
export type InboxSort = 'last_activity' | 'waiting'

export type InboxRow = {
  ticket_id: string
  version: number
  is_closed: boolean
  closed_at: Date | null
  created_at: Date
  contact: Read<Pick<Contact, '_id' | 'name' | 'avatar' | 'phone' | 'user_id' | 'channel_type' | 'channel_id'>>
  /**
   * The last message of the contact, in either direction; no notice. `text`: its beginning, if it has any; `message`: the
   * content of one without a text, up to `MAX_CONTENT` bytes.
   */
  last_message:
    | (Read<Pick<Message, 'id' | 'type' | 'direction' | 'status' | 'channel_id' | 'created_at' | 'deleted_at'>> & {
        text: string | null
        message: Message['message'] | null
      })
    | null
  last_activity_at: Date
  waiting_since: Date | null
  /** When a reply failed last; null when none did, or one was sent since. */
  failed_at: Date | null
  snoozed_at: Date | null
  snoozed_until: Date | null
  /** The end of the latest window in which the contact may be written to freely; null on channels without one. */
  reply_window_ends_at: Date | null
  /** Messages that the agent has not read, at most `MAX_UNREAD`. */
  unread_count: number
  handled_by: TicketHandler
  assigned_to: (Pick<User, 'full_name' | 'email'> & { id: string }) | null
  stage: { stage_id: string; name: string | null } | null
  tags: (Read<Pick<Tag, 'name' | 'color'>> & { id: string })[]
  priority: TicketPriority | null
}

/** Unread messages beyond this number are not counted. */
export const MAX_UNREAD = 100
/** Characters of a preview. */
const PREVIEW = 200
/** Bytes of a content that stands for a missing text. */
const MAX_CONTENT = 8192

const SORTS = {
  last_activity: { column: 'last_activity_at', direction: 'desc', after: sql`<` },
  waiting: { column: 'waiting_since', direction: 'asc', after: sql`>` },
} as const

/** One page of the agent's inbox. The cursor is that of a timeline: a time and an id. */
export async function listInbox(
  database: Database,
  { project_id, user_id }: { project_id: string; user_id: string },
  filter: InboxFilter,
  { sort, limit, cursor }: { sort: InboxSort; limit: number; cursor?: string | undefined },
): Promise<Page<InboxRow>> {
  const { column, direction, after } = SORTS[sort]
  const conditions = inboxConditions(project_id, user_id, filter)
  if (sort === 'waiting') conditions.push(sql`e.waiting_since is not null`)
  const [, ms, id] = timelineCursor.exec(cursor ?? '') ?? []
  if (ms && id) {
    const at = sql`${new Date(Number(ms))}`
    conditions.push(sql`(e.${sql.id(column)}, e.ticket_id) ${after} (${at}::timestamptz, ${id.toLowerCase()})`)
  }
  const { is_unread, search } = filter
  const most = limit + 1
  const chosen = await database.execute<Chosen>(
    choose({ project_id, user_id, conditions, column, direction, most, is_unread, search }),
  )
  chosen.sort((one, other) => compare(one, other) * (direction === 'asc' ? 1 : -1))
  const matches = chosen.filter(({ is_match }) => is_match)
  const last = matches.length > limit ? matches[limit - 1] : chosen.find(({ is_match }) => !is_match)
  const next_cursor = last ? `${new Date(last.at).getTime()}_${last.ticket_id}` : null
  const ids = matches.slice(0, limit).map(({ ticket_id }) => ticket_id)
  if (ids.length === 0) return pageUntil([], next_cursor)
  const rows = await readInboxRows(database, user_id, ids)
  // A ticket may have been erased between the two statements.
  return pageUntil(
    ids.flatMap((id) => rows.get(id) ?? []),
    next_cursor,
  )
}

/** The rows of these tickets as an agent sees them, by the id of the ticket. */
export async function readInboxRows(
  database: Database,
  user_id: string,
  ticket_ids: string[],
): Promise<Map<string, InboxRow>> {
  const rows = await database.execute<ShownRow>(inboxRows(user_id, ticket_ids))
  return new Map(rows.map((row) => [row.ticket_id, toInboxRow(row)]))
}

function compare(one: Chosen, other: Chosen): number {
  const later = new Date(one.at).getTime() - new Date(other.at).getTime()
  return later || (one.ticket_id < other.ticket_id ? -1 : 1)
}

/** Conditions on `inbox_entry e`, without `is_unread` and `search`. */
export function inboxConditions(project_id: string, user_id: string, filter: InboxFilter): Sql[] {
  const {
    view,
    is_closed = false,
    is_snoozed = false,
    is_unread: _,
    is_failed,
    search: __,
    tag_id,
    handled_by,
    ...exact
  } = filter
  const conditions = [sql`e.project_id = ${project_id}`, is_closed ? sql`e.is_closed` : sql`not e.is_closed`]
  if (!is_closed) conditions.push(is_snoozed ? sql`e.snoozed_at is not null` : sql`e.snoozed_at is null`)
  if (view === 'mine') conditions.push(sql`e.assigned_to = ${user_id}`)
  if (view === 'unassigned') conditions.push(sql`e.assigned_to is null`)
  if (is_failed !== undefined) conditions.push(is_failed ? sql`e.failed_at is not null` : sql`e.failed_at is null`)
  if (tag_id !== undefined) conditions.push(sql`e.tag_ids <> '{}' and e.tag_ids @> array[${tag_id}]`)
  if (handled_by !== undefined) conditions.push(sql`${handledBy(sql`e`)} = ${handled_by}`)
  for (const [column, value] of Object.entries(exact)) {
    if (value !== undefined) conditions.push(sql`e.${sql.id(column)} = ${value}`)
  }
  return conditions
}

/** Of an e-mail, the mark, the subject, and the names of its files if it has no text. */
const TEXT = sql`case when m.channel <> 'email' then message_words(m.message) else concat_ws(': ',
  case when m.message->>'auto_submitted' is not null then 'Automatic' end, nullif(m.message->>'subject', ''),
  case when message_words(m.message) ~ '\\S' then message_words(m.message)
    when json_typeof(m.message->'attachments') = 'array' then
      (select string_agg(a->>'filename', ', ') from json_array_elements(m.message->'attachments') a) end) end`

type ShownRow = Record<string, unknown> & { ticket_id: string; window: string | null }

const inboxRows = (user_id: string, ids: string[]) => sql`
  select e.ticket_id, t.version, e.is_closed, t.closed_at, t.created_at, e.last_activity_at, e.waiting_since,
    e.failed_at, e.snoozed_at, e.snoozed_until, e.priority, ${handledBy(sql`e`)} as handled_by,
    json_build_object('_id', t.chat_user, 'name', c.name, 'avatar', c.avatar, 'phone', c.phone, 'user_id', c.user_id,
      'channel_type', coalesce(c.channel_type, e.channel_type), 'channel_id', coalesce(e.channel_id, c.channel_id)
    ) as contact,
    (select max(value collate "C") from jsonb_each_text(c.windows)) as window,
    (select json_build_object('id', m.id, 'type', m.type, 'direction', m.direction, 'status', m.status,
        'channel_id', m.channel_id, 'created_at', m.created_at, 'deleted_at', m.deleted_at,
        'text', left(m.words, ${PREVIEW}),
        'message', case when m.words is null and m.deleted_at is null
          and octet_length(m.message::text) <= ${MAX_CONTENT} then m.message end)
      from (select m.*, nullif(${TEXT}, '') as words from message m
        where m.chat_user = t.chat_user and m.project_id = e.project_id
          and (t.closed_at is null or m.created_at <= t.closed_at) and not (${IS_NOTICE})
        order by m.created_at desc, m.id desc limit 1) m) as last_message,
    least(e.inbound_count - coalesce(r.read_count, 0), ${MAX_UNREAD}) as unread_count,
    (select json_build_object('id', u._id, 'full_name', u.full_name, 'email', u.email)
      from "user" u where u._id = e.assigned_to) as assigned_to,
    case when e.stage_id is not null then json_build_object('stage_id', e.stage_id, 'name',
      (select s.name from pipeline_stage s where s._id = e.stage_id)) end as stage,
    (select json_agg(json_build_object('id', g._id, 'name', g.name, 'color', g.color) order by lower(g.name), g._id)
      from tag g where g._id = any(e.tag_ids) and g.project_id = e.project_id) as tags
  from inbox_entry e join ticket t on t._id = e.ticket_id left join contact c on c._id = t.chat_user ${readBy(user_id)}
  where e.ticket_id in (${sql.list(ids)})`

const TIMES = [
  'closed_at',
  'created_at',
  'last_activity_at',
  'waiting_since',
  'failed_at',
  'snoozed_at',
  'snoozed_until',
] as const

function toInboxRow({ window, ...row }: ShownRow): InboxRow {
  for (const column of TIMES) row[column] = row[column] ? new Date(row[column] as string) : null
  const { last_message, tags, ...fields } = row as InboxRow
  return {
    ...fields,
    last_message: last_message && {
      ...last_message,
      created_at: new Date(last_message.created_at),
      deleted_at: toDate(last_message.deleted_at),
    },
    reply_window_ends_at: window === null ? null : new Date(window),
    unread_count: Math.max(0, fields.unread_count),
    tags: tags ?? [],
  }
}

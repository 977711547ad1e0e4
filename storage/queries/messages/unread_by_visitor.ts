/** Messages of a web chat that their visitor has not read, and the e-mails about them. */
import type { Database } from '../../database/database.ts'
import { sql } from '../../sql/sql.ts'

/** Newest messages of the visitor that are looked at. */
const MAX_LOOKED_AT = 500
/** Maximum characters of a message in an e-mail. */
const MAX_WORDS = 2_000

/** `to`: the visitor. `words`: null for a message without. `filename`: of a file that has a name. */
export type UnreadMessage = {
  id: string
  channel_id: string
  to: string
  type: string
  words: string | null
  filename: string | null
}

/** `unread`: oldest first; only those after the last e-mail. `mailed_at`: times of the e-mails, newest first. */
export type UnreadByVisitor = { unread: UnreadMessage[]; mailed_at: Date[] }

type Row = UnreadMessage & { chat_user: string; up_to: string | null; created_at: string }

/** By contact. A visitor who has written has seen what came before. */
export async function readUnreadByVisitors(
  database: Database,
  project_id: string,
  chat_users: readonly string[],
): Promise<Map<string, UnreadByVisitor>> {
  const rows = await database.execute<Row>(sql`
    select one.chat_user, unread.* from unnest(array[${sql.list(chat_users)}]::text[]) as one (chat_user), lateral (
      with latest as (
        select id, channel, channel_id, direction, status, "to", type, message, deleted_at, created_at from message
        where chat_user = one.chat_user and project_id = ${project_id} order by id desc limit ${MAX_LOOKED_AT})
      select l.id, l.channel_id, l."to", l.type, l.created_at, l.message->>'unread_up_to' as up_to,
        left(message_words(l.message), ${MAX_WORDS}) as words,
        coalesce(l.message->>'filename', (
          select f.filename from media f where f.media_id = l.message->>'media_id' and f.project_id = ${project_id})) as filename
      from latest l
      where l.direction = 'outbound' and ((l.channel = 'email' and l.message->>'unread_up_to' is not null) or (
        l.channel = 'web' and l.status in ('sent', 'delivered') and l.type <> 'reaction' and l.deleted_at is null
        and l."to" is not null
        and l.id > coalesce((select max(id) from latest where channel = 'web' and direction = 'inbound'), '')))
    ) unread order by unread.id`)
  const by_visitor = Map.groupBy(rows, ({ chat_user }) => chat_user)
  return new Map(chat_users.map((id) => [id, unreadIn(by_visitor.get(id) ?? [])]))
}

/** `rows`: of one visitor, oldest first. */
function unreadIn(rows: Row[]): UnreadByVisitor {
  const mails = rows.filter(({ up_to }) => up_to !== null)
  const mailed_up_to =
    mails
      .map(({ up_to }) => up_to!)
      .toSorted()
      .at(-1) ?? ''
  const unread = rows.filter(({ up_to, id }) => up_to === null && id > mailed_up_to)
  return { unread, mailed_at: mails.map(({ created_at }) => new Date(created_at)).reverse() }
}

/** Messages of a web chat that their visitor has not read, and the e-mails about them. */
import type { Database } from '../../database/database.ts'
import type { ContactMerge } from '../../entities/people/contact_merge.ts'
import { sql } from '../../sql/sql.ts'
import { objectIdAt } from '../../values/mod.ts'
import { readMergesOf } from '../people/contact_merges.ts'

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

/**
 * `unread`: oldest first; only those that no e-mail told of. `mailed_at`: times of the e-mails of the last day and some before,
 * newest first. `is_moving`: a merge moves the records of the contact, so that some may be missing.
 */
export type UnreadByVisitor = { unread: UnreadMessage[]; mailed_at: Date[]; is_moving: boolean }

/** `up_to`: of an e-mail, the last message in it. `identity`: the contact under whose ids it came, of one that was merged. */
type Row = UnreadMessage & { chat_user: string; up_to: string | null; created_at: string; identity: string | null }

/** The unread messages by contact. A visitor who has written has seen the earlier ones. E-mails count from `day_ago` on. */
export async function readUnreadByVisitors(
  database: Database,
  project_id: string,
  chat_users: readonly string[],
  day_ago: Date,
): Promise<Map<string, UnreadByVisitor>> {
  const reading = database.execute<Row>(sql`
    select one.chat_user, found.*, r.contact_id as identity
    from unnest(array[${sql.list(chat_users)}]::text[]) as one (chat_user), lateral (
      with latest as (
        select id, channel, channel_id, direction, status, "to", type, message, deleted_at from message
        where chat_user = one.chat_user and project_id = ${project_id} order by id desc limit ${MAX_LOOKED_AT})
      select l.id, l.channel_id, l."to", l.type, null::timestamptz as created_at, null as up_to,
        left(message_words(l.message), ${MAX_WORDS}) as words,
        coalesce(l.message->>'filename', (
          select f.filename from media f where f.media_id = l.message->>'media_id' and f.project_id = ${project_id})) as filename
      from latest l
      where l.direction = 'outbound' and l.channel = 'web' and l.status in ('sent', 'delivered') and l.type <> 'reaction'
        and l.deleted_at is null and l."to" is not null
        and l.id > coalesce((select max(id) from latest where channel = 'web' and direction = 'inbound'), '')
      union all
      select m.id, m.channel_id, m."to", m.type, m.created_at, m.message->>'unread_up_to', null, null from message m
      where m.chat_user = one.chat_user and m.project_id = ${project_id} and m.direction = 'outbound' and m.channel = 'email'
        and m.message->>'unread_up_to' is not null
        and m.id >= least((select min(id) from latest), ${`msg_${objectIdAt(day_ago)}`})
    ) found left join merged_record r on r.kind = 'message' and r.record_id = found.id order by found.id`)
  const [rows, merges] = await Promise.all([reading, readMergesOf(database, project_id, chat_users)])
  const merged = new Merged(merges)
  const by_visitor = Map.groupBy(rows, ({ chat_user }) => chat_user)
  return new Map(
    chat_users.map((id) => [id, { ...unreadIn(by_visitor.get(id) ?? [], merged), is_moving: merged.isMoving(id) }]),
  )
}

/** `rows`: of one visitor, oldest first. */
function unreadIn(rows: Row[], merged: Merged): Pick<UnreadByVisitor, 'unread' | 'mailed_at'> {
  const mails = rows.filter(({ up_to }) => up_to !== null)
  const isMailed = (row: Row) => mails.some((mail) => row.id <= mail.up_to! && merged.tellsOf(mail, row))
  return {
    unread: rows.filter((row) => row.up_to === null && !isMailed(row)),
    mailed_at: mails.map(({ created_at }) => new Date(created_at)).reverse(),
  }
}

/** Contacts that were merged: each with the one that it became a part of. */
class Merged {
  readonly #into: Map<string, ContactMerge>
  readonly #moving: Set<string>

  constructor(merges: readonly ContactMerge[]) {
    this.#into = new Map(merges.flatMap((one) => (one.status === 'undoing' ? [] : [[one.from_contact_id, one]])))
    const moving = merges.filter(({ status }) => status !== 'merged')
    this.#moving = new Set(
      moving.flatMap(({ contact_id, from_contact_id }) => [this.#last(contact_id), this.#last(from_contact_id)]),
    )
  }

  isMoving(contact_id: string): boolean {
    return this.#moving.has(contact_id)
  }

  /** An e-mail tells of the messages of those who were its contact then. */
  tellsOf(mail: Row, { identity, chat_user }: Row): boolean {
    const at = new Date(mail.created_at)
    return this.#last(identity ?? chat_user, at, mail.identity ?? mail.chat_user) === (mail.identity ?? mail.chat_user)
  }

  /** The contact that this one was a part of at a time; not further than `until`. */
  #last(contact_id: string, at?: Date, until?: string): string {
    const merge = contact_id === until ? undefined : this.#into.get(contact_id)
    return merge && !(at && merge.created_at > at) ? this.#last(merge.contact_id, at, until) : contact_id
  }
}

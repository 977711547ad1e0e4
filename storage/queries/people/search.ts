/** Candidates of a search over contacts, tickets and messages of a project: all that contain each of its words, newest first. */
import type { Database } from '../../database/database.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import type { ChannelType } from '../../values/channel_types.ts'

/** A match, with the texts that may contain the words. */
export type SearchCandidate = {
  id: string
  /** The contact of the match, or the match itself. */
  chat_user: string | null
  chat_user_name: string | null
  /** Type of the channel of the message, or of the contact. */
  channel: ChannelType | null
  /** Time of creation (ISO 8601). */
  created_at: string
  fields: { field: string; text: string }[]
}

type Row = Omit<SearchCandidate, 'fields'> & { fields: Record<string, unknown> }

/** Number of the newest tickets that are searched by their own text; tickets of matching contacts have no such limit. */
const TICKETS = 10_000
/** Maximum number of messages searched directly because they are not indexed yet: the newest ones. */
const TAIL = 5000
/** Number of indexed messages scanned one by one first: a frequent word is among them often enough. */
const WALK = 5000
/** Maximum contacts whose tickets are searched. */
const PEOPLE = 200

const pattern = (word: string) => sql`search_pattern(${word})`
/** The body of `search_fold`, inlined: a call for each row would cost several times as much. */
const folded = (text: Sql) => sql`lower(unaccent('unaccent', ${text}))`
/** The longest run of letters and digits: JSON stores it unescaped. */
const core = (word: string) => word.match(/[\p{L}\p{N}]+/gu)!.reduce((a, b) => (b.length > a.length ? b : a))
const moment = (column: Sql) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at`

export async function searchContacts(
  database: Database,
  project_id: string,
  words: string[],
  most: number,
): Promise<SearchCandidate[]> {
  return candidates(
    await database.execute<Row>(sql`
      with found as materialized (
        select _id, merged_into, name, phone, user_id from contact where project_id = ${project_id} and ${holdsContact(words)}
        order by _id desc limit ${most}
      ), people as (
        -- What was merged into a contact is found as the contact.
        select distinct on (coalesce(merged_into, _id)) coalesce(merged_into, _id) as _id, name, phone, user_id from found
        order by coalesce(merged_into, _id), merged_into nulls first
      )
      select c._id as id, c._id as chat_user, c.name as chat_user_name, c.channel_type as channel, ${moment(sql`c.created_at`)},
        json_build_object('name', p.name, 'phone', p.phone, 'user_id', p.user_id) as fields
      from people p join contact c using (_id) order by c._id desc`),
  )
}

/**
 * Matches the category, tags, custom fields and summary, together; or the contact, where its fields may be shown
 * (`with_contacts`).
 */
export async function searchTickets(
  database: Database,
  project_id: string,
  words: string[],
  most: number,
  with_contacts = true,
): Promise<SearchCandidate[]> {
  const mine = sql`project_id = ${project_id}`
  const columns = sql`_id, chat_user, category, tag_ids, custom_fields, conversation_summary, created_at`
  const said = sql.join(
    words.map((word) => sql`${folded(sql`said`)} like ${pattern(word)}`),
    ' and ',
  )
  const maybe = sql.join(
    words.map((word) => sql`${folded(sql`document`)} like ${pattern(core(word))}`),
    ' and ',
  )
  const tags = sql`case when tag_ids <> '{}' then (select string_agg(name, E'\\x01') from tagged where _id = any(tag_ids)) end`
  return candidates(
    await database.execute<Row>(sql`
      with person as materialized (
        select coalesce(merged_into, _id) as _id from contact where ${with_contacts ? sql`${mine} and ${holdsContact(words)}` : sql`false`}
        order by contact._id desc limit ${PEOPLE}
      ), tagged as materialized (
        select _id, name from tag where ${mine}
      ), found as (
        (select ${columns} from ticket where ${mine} and chat_user in (select _id from person) order by _id desc limit ${most})
        union
        (select ${columns} from (
            select * from (select *, concat_ws(' ', category, conversation_summary, custom_fields, ${tags}) as document
              from (select * from ticket where ${mine} order by _id desc limit ${TICKETS}) newest) written
            where ${maybe}) recent,
          lateral (select concat_ws(E'\\x01', category, conversation_summary->>'motivo', conversation_summary->>'estado',
            conversation_summary->>'proximos_pasos',
            (select string_agg(value, E'\\x01') from jsonb_each_text(custom_fields)), ${tags}) as said) s
          where ${said} order by _id desc limit ${most})
      )
      select t._id as id, t.chat_user, c.name as chat_user_name, c.channel_type as channel, ${moment(sql`t.created_at`)},
        (select coalesce(jsonb_object_agg('custom_fields.' || key, value), '{}') from jsonb_each_text(t.custom_fields))
          || jsonb_build_object(${with_contacts ? sql`'contact.name', c.name, 'contact.phone', c.phone,` : sql``} 'category', category,
            'conversation_summary.motivo', conversation_summary->>'motivo',
            'conversation_summary.estado', conversation_summary->>'estado',
            'conversation_summary.proximos_pasos', conversation_summary->>'proximos_pasos',
            'tags', (select string_agg(name, ', ') from tagged where _id = any(tag_ids))) as fields
      from found t left join contact c on c._id = t.chat_user and c.${mine} order by t._id desc limit ${most}`),
  )
}

/** Matches words by their beginning, in texts, captions and names of files. */
export async function searchMessages(
  database: Database,
  project_id: string,
  words: string[],
  most: number,
): Promise<SearchCandidate[]> {
  const mine = sql`project_id = ${project_id}`
  const query = sql`search_query(${words.join(' ')})`
  const said = sql.join(
    words.map((word) => sql`${folded(sql`message_said(message)`)} like ${pattern(word)}`),
    ' and ',
  )
  return candidates(
    await database.execute<Row>(sql`
      with recent as (
        select id, message from message
        where ${mine} and id > (select up_to from message_text_progress) order by id desc limit ${TAIL}
      ), walked as materialized (
        select id from (select id, document from message_text where ${mine} order by id desc limit ${WALK}) newest
        where document @@ ${query} order by id desc limit ${most}
      ), indexed as materialized (
        select id from message_text where ${mine} and document @@ ${query} and (select count(*) from walked) < ${most}
      ), found as (
        (select id from recent where ${said} and array_to_tsvector(search_words(message_said(message))) @@ ${query}
          order by id desc limit ${most})
        union
        (select id from (
            select id from (table walked union table indexed) known order by id desc limit ${most}
          ) newest join message using (id) where ${said})
      )
      select m.id, m.chat_user, c.name as chat_user_name, m.channel, ${moment(sql`m.created_at`)},
        json_build_object(case when m.message->>'caption' is null then 'text' else 'caption' end,
          message_words(m.message), 'filename', message_files(m.message)) as fields
      from found join message m using (id) left join contact c on c._id = m.chat_user and c.${mine}
      order by m.id desc limit ${most}`),
  )
}

function holdsContact(words: string[]): Sql {
  return sql.join(
    words.map((word) => sql`contact_text(name, phone, user_id) like ${pattern(word)}`),
    ' and ',
  )
}

function candidates(rows: Row[]): SearchCandidate[] {
  return rows.map(({ fields, ...row }) => {
    const texts = Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    return { ...row, fields: texts.map(([field, text]) => ({ field, text })) }
  })
}

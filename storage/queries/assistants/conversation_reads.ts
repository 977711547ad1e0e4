/** Reads of a conversation for an assistant that is about to answer. */
import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { AssistantConversation } from '../../entities/assistants/assistant_conversation.ts'
import type { Channel } from '../../entities/channel.ts'
import { Media } from '../../entities/messages/media.ts'
import { Message } from '../../entities/messages/message.ts'
import { Contact } from '../../entities/people/contact.ts'
import { Customer } from '../../entities/people/customer.ts'
import { Ticket } from '../../entities/tickets/ticket.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import type { OfficeHours } from '../../values/office_hours.ts'
import { asFarAsFits } from '../common/page_size.ts'
import { largeOfMessage } from '../messages/messages.ts'

/** Messages before the opening of a ticket belong to its conversation for so long. */
const BEFORE_OPENING = '24 hours'
const MAX_MESSAGES = 200
const MAX_BYTES = 2 * 1024 * 1024

/** The row as it is now; undefined for a conversation that no assistant ever held. */
export async function findAssistantConversation(
  database: Database,
  project_id: string,
  ticket_id: string,
): Promise<AssistantConversation | undefined> {
  return (await readRows(database, AssistantConversation, { project_id, ticket_id }))[0]
}

export type ContactPeople = { contact: Contact; customer: Customer | null }

export type ConversationPeople = ContactPeople & { ticket: Ticket }

/** Undefined when the project has no such ticket. */
export async function readConversationPeople(
  database: Database,
  project_id: string,
  ticket_id: string,
): Promise<ConversationPeople | undefined> {
  const [[ticket], people] = await Promise.all([
    readRows(database, Ticket, { _id: ticket_id, project_id }),
    readContactPeople(database, project_id, personOf(project_id, ticket_id)),
  ])
  return ticket && people && { ticket, ...people }
}

/** The contact of a ticket. */
function personOf(project_id: string, ticket_id: string): Sql {
  return sql`(select chat_user from ticket where _id = ${ticket_id} and project_id = ${project_id})`
}

/** Undefined when the project has no such contact. */
export async function readContactPeople(
  database: Database,
  project_id: string,
  chat_user: string | Sql,
): Promise<ContactPeople | undefined> {
  const own = sql`_id = ${chat_user} and project_id = ${project_id}`
  const [contacts, customers] = await Promise.all([
    database.execute(sql`select ${columnsOf(database, Contact)} from contact where ${own}`),
    database.execute(sql`select ${columnsOf(database, Customer, sql`u`)} from customer u
      join (select customer_id, company_id from contact where ${own}) c on u._id = c.customer_id and u.company_id = c.company_id`),
  ])
  const [contact] = toRows<Contact>(database, Contact, contacts)
  const [customer] = toRows<Customer>(database, Customer, customers)
  return contact && { contact, customer: customer ?? null }
}

export type SaidMessage = Pick<
  Message,
  | 'id'
  | 'channel_id'
  | 'direction'
  | 'status'
  | 'origin'
  | 'type'
  | 'message'
  | 'context'
  | 'provider_message_id'
  | 'assistant_id'
  | 'broadcast_id'
  | 'created_at'
  | 'deleted_at'
>

/** The messages of a ticket's conversation, oldest first. `is_cut`: earlier ones were left out. */
export async function readTranscript(
  database: Database,
  project_id: string,
  ticket_id: string,
): Promise<{ messages: SaidMessage[]; is_cut: boolean }> {
  const columns = columnsOf(database, Message)
  const order = sql`created_at desc, id desc`
  const listed = sql`select ${columns} from message
    where chat_user = ${personOf(project_id, ticket_id)} and project_id = ${project_id}
    and created_at >= (select created_at from ticket where _id = ${ticket_id}) - ${BEFORE_OPENING}::interval order by ${order} limit ${MAX_MESSAGES + 1}`
  const fitting = asFarAsFits(listed, { columns, large: largeOfMessage, order, bytes: MAX_BYTES })
  const rows = await database.execute<Record<string, unknown> & { found: number }>(fitting)
  const is_cut = rows.length > MAX_MESSAGES || (rows.length > 0 && rows.length < rows[0]!.found)
  return { messages: toRows<Message>(database, Message, rows.slice(0, MAX_MESSAGES)).reverse(), is_cut }
}

export type ConversationFacts = {
  channels: Pick<Channel, '_id' | 'channel_type' | 'provider'>[]
  office_hours: OfficeHours | null
  project_name: string
  /** Texts of the templates that were sent, as stored. */
  templates: { channel_id: string; name: string; language: string; components: Record<string, unknown>[] }[]
}

/** The records to which the messages of a transcript refer. */
export async function readConversationFacts(
  database: Database,
  project_id: string,
  sent_templates: readonly { channel_id: string; name: string; language: string }[],
): Promise<ConversationFacts> {
  const named = sent_templates.map(
    ({ channel_id, name, language }) => sql`(channel_id = ${channel_id} and name = ${name} and language = ${language})`,
  )
  const [row] = await database.execute<ConversationFacts>(sql`
    select p.name as project_name, p.office_hours,
      coalesce((select json_agg(c) from (
        select _id, channel_type, provider from channel where project_id = ${project_id}) c), '[]') as channels,
      coalesce((select json_agg(t) from (
        select channel_id, name, language, components from template
        where project_id = ${project_id} and (${named.length === 0 ? sql`false` : sql.join(named, ' or ')})) t), '[]') as templates
    from project p where p._id = ${project_id}`)
  return row!
}

/** Files that have been on their way for longer are not waited for. */
const ON_THEIR_WAY = '60 seconds'

/** True while one of these files is being fetched from its provider. */
export async function areFilesComing(
  database: Database,
  project_id: string,
  media_ids: readonly string[],
): Promise<boolean> {
  if (media_ids.length === 0) return false
  const [row] = await database.execute<{ is_coming: boolean }>(sql`
    select exists (select from media_fetch where project_id = ${project_id} and media_id in (${sql.list(media_ids)})
      and failed_at is null and created_at > statement_timestamp() - ${ON_THEIR_WAY}::interval) as is_coming`)
  return row!.is_coming
}

/** Files that are here, of the project. */
export async function readFilesHere(
  database: Database,
  project_id: string,
  media_ids: readonly string[],
): Promise<Map<string, Media>> {
  const rows = await readRows(database, Media, { project_id, media_id: [...media_ids] })
  return new Map(rows.filter(({ blob_key }) => blob_key !== null).map((row) => [row.media_id, row]))
}

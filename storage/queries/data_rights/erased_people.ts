/** Records that actors hold of contacts being erased. */
import { identityHasher } from '../../data_rights/proof.ts'
import { draftsFor, filesOf } from '../../data_rights/records/conversations.ts'
import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import type { DataErasurePart } from '../../entities/data_rights/data_erasure_part.ts'
import type { Dispatch } from '../../entities/messages/dispatch.ts'
import { Message } from '../../entities/messages/message.ts'
import { sql } from '../../sql/sql.ts'

export async function readTicketIdsOf(
  database: Database,
  contact_ids: readonly string[],
): Promise<{ _id: string; chat_user: string }[]> {
  return database.execute(sql`select _id, chat_user from ticket where chat_user = any (${contact_ids})`)
}

/** A record that ends with a contact. The erasure notes its value. */
export type EndingRecord = Pick<DataErasurePart, 'kind' | 'value'> & { chat_user: string }

/**
 * The records of agents that end with these contacts and their tickets, and the files of the drafts: nothing leads to
 * them afterwards.
 */
export function listEndingRecords(database: Database, contact_ids: readonly string[]): Promise<EndingRecord[]> {
  const contacts = sql`${contact_ids}`
  return database.execute(sql`
    with its as materialized (select _id, chat_user from ticket where chat_user = any (${contacts}))
    select 'draft' as kind, concat_ws('/', ticket_id, user_id, kind) as value, chat_user from draft join its on _id = ticket_id
    union all select 'media', media_id, chat_user from (${filesOf(draftsFor(sql`select _id from its`))}) files
    union all select 'notification', notification._id, chat_user from notification where chat_user = any (${contacts})
    union all select 'notification', notification._id, its.chat_user from notification join its on its._id = ticket_id
      where notification.chat_user is null`)
}

/** Messages to these contacts that are still queued. The conditions are those of the index `message_unsent`. */
export async function listUnsentTo(
  database: Database,
  project_id: string,
  contact_ids: readonly string[],
): Promise<Message[]> {
  const rows = await database.execute(sql`
    select ${columnsOf(database, Message)} from message
    where project_id = ${project_id} and direction = 'outbound' and sent_at is null and failed_at is null
      and chat_user = any (${contact_ids})`)
  return toRows(database, Message, rows)
}

/** What names a message in the queue of a channel. */
export type ErasedDispatch = Pick<Dispatch, 'message_id' | 'recipient' | 'number'>

/** Messages in the queue of a channel that go to these contacts, or are deleted already. */
export async function listErasedDispatches(
  database: Database,
  channel_id: string,
  contact_ids: readonly string[],
): Promise<ErasedDispatch[]> {
  return database.execute<ErasedDispatch>(sql`
    select message_id, recipient, number::float8 as number from dispatch left join message on id = message_id
    where dispatch.channel_id = ${channel_id} and (id is null or chat_user = any (${contact_ids}))`)
}

/** The contacts and tickets among these ids that are erased, or are being erased. */
export async function listErasedIds(database: Database, ids: readonly string[]): Promise<string[]> {
  const hash = await identityHasher(database)
  const named = ids.map((id) => sql`(${id}, ${hash(id)})`)
  const rows = await database.execute<{ id: string }>(sql`
    select id from (values ${sql.join(named, ',')}) named (id, id_hash) where
      exists (select from data_erasure_part where kind in ('contact', 'ticket') and value = id)
      or exists (select from data_erasure_identity where hash = id_hash)`)
  return rows.map(({ id }) => id)
}

/** The projects among these that are being erased. They count as unknown. */
export async function listErasingProjects(database: Database, ids: readonly string[]): Promise<string[]> {
  const rows = await database.execute<{ subject_id: string }>(sql`
    select subject_id from data_erasure
    where subject_id = any (${ids}) and ended_at is null and kind = 'project'`)
  return rows.map(({ subject_id }) => subject_id)
}

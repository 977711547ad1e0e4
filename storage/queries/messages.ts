import type { FilterQuery } from '@mikro-orm/core'
import type { Database } from '../database.ts'
import { Message, type MessageStatus } from '../entities/message.ts'
import { type Page, type PageOptions, toPage } from './keyset.ts'

export type MessageFilter = { chat_user?: string; channel?: string; status?: MessageStatus }

/** The message with this id, or undefined when the project has none. */
export async function findMessage(
  database: Database,
  project_id: string,
  id: string,
): Promise<MessageRecord | undefined> {
  const row = await database.em().findOne(Message, { id, project_id }, { disableIdentityMap: true })
  return row ? toMessageRecord(row) : undefined
}

/** The project's messages, newest first. */
export async function listMessages(
  database: Database,
  project_id: string,
  filter: MessageFilter,
  { limit, cursor }: PageOptions,
): Promise<Page<MessageRecord>> {
  const where: FilterQuery<Message> & object = { project_id }
  if (cursor) where.id = { $lt: cursor }
  if (filter.chat_user) where.chat_user = filter.chat_user
  if (filter.channel) where.channel = filter.channel
  if (filter.status) where.status = filter.status
  // Always true of a message in that status (checks of the table); named so that the index of the few is used.
  if (filter.status === 'failed') where.failed_at = { $ne: null }
  if (filter.status === 'queued') Object.assign(where, { direction: 'outbound', sent_at: null, failed_at: null })
  const rows = await database
    .em()
    .find(Message, where, { orderBy: { id: 'desc' }, limit: limit + 1, disableIdentityMap: true })
  return toPage(rows.map(toMessageRecord), limit, ({ id }) => id)
}

/** A message as the API shows it: every column but those that say whose it is. */
export type MessageRecord = ReturnType<typeof toMessageRecord>

export function toMessageRecord(row: Message) {
  return {
    id: row.id,
    status: row.status,
    direction: row.direction,
    channel: row.channel,
    channel_id: row.channel_id,
    to: row.to ?? null,
    from: row.from ?? null,
    chat_user: row.chat_user ?? null,
    type: row.type,
    message: row.message,
    context: row.context ?? null,
    meta_data: row.meta_data ?? null,
    provider_message_id: row.provider_message_id ?? null,
    error: row.error ?? null,
    created_at: row.created_at,
    sent_at: row.sent_at ?? null,
    delivered_at: row.delivered_at ?? null,
    read_at: row.read_at ?? null,
    failed_at: row.failed_at ?? null,
    updated_at: row.updated_at,
  }
}

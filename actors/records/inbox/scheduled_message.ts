/** The scheduled message as agents see it. */
import * as v from 'valibot'
import { channelTypes, type ScheduledMessage } from '../../../storage/mod.ts'
import { type InMemory, named, recordId, timestamp, valuesOf } from '../../schema/mod.ts'

const anyObject = v.record(v.string(), v.unknown())

/** Columns that the record shows as they are stored. */
const scheduledMessageColumns = v.object({
  id: recordId,
  ticket_id: recordId,
  chat_user: recordId,
  status: v.picklist(['scheduled', 'sent', 'failed', 'cancelled']),
  channel: v.picklist(channelTypes),
  channel_id: v.nullable(recordId),
  message: anyObject,
  context: v.nullable(anyObject),
  meta_data: v.nullable(anyObject),
  send_at: timestamp,
  cancel_if_answered: v.boolean(),
  cancelled_by: v.nullable(v.picklist(['agent', 'answer'])),
  message_id: v.nullable(v.string()),
  error: v.nullable(v.object({ code: v.string(), message: v.string() })),
  created_by: recordId,
  created_at: timestamp,
  updated_at: timestamp,
})

export const scheduledMessageRecord = named(
  'ScheduledMessage',
  v.object({ ...scheduledMessageColumns.entries, type: v.string() }),
)

export type ScheduledMessageRecord = InMemory<v.InferOutput<typeof scheduledMessageRecord>>

export function toScheduledMessageRecord(row: ScheduledMessage): ScheduledMessageRecord {
  return { ...valuesOf(scheduledMessageColumns, row), type: row.message.type }
}

/** The notification, which is news for one agent, as the console shows it. */
import * as v from 'valibot'
import type { NotificationView } from '../../storage/mod.ts'
import { type InMemory, recordId, timestamp, valuesOf } from '../schema/mod.ts'
import { author } from './ownership.ts'

/** Columns that the record shows as they are stored. */
const columns = v.object({
  _id: recordId,
  type: v.string(),
  ticket_id: v.nullable(recordId),
  data: v.record(v.string(), v.unknown()),
  created_at: timestamp,
  read_at: v.nullable(timestamp),
})

export const notificationRecord = v.object({
  ...columns.entries,
  contact: v.nullable(v.object({ _id: recordId, name: v.nullable(v.string()) })),
  created_by: author,
})

export type NotificationRecord = InMemory<v.InferOutput<typeof notificationRecord>>

/** `name`: of the contact. `full_name`: of the user who caused it. */
export function toNotificationRecord({ notification: row, name, full_name }: NotificationView): NotificationRecord {
  return {
    ...valuesOf(columns, row),
    contact: row.chat_user ? { _id: row.chat_user, name: name ?? null } : null,
    created_by: row.created_by && full_name ? { id: row.created_by, full_name } : null,
  }
}

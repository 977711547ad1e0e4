/** The notification, which is news for one agent, as the console shows it. */
import * as v from 'valibot'
import type { NotificationView } from '../../../storage/mod.ts'
import { type InMemory, named, recordId, timestamp, valuesOf } from '../../schema/mod.ts'
import { author } from '../ownership.ts'

const text = v.string()

/** Columns that the record shows as they are stored. */
const columns = v.object({
  _id: recordId,
  ticket_id: v.nullable(recordId),
  created_at: timestamp,
  read_at: v.nullable(timestamp),
})

function notificationOf<Type extends string, Data extends v.GenericSchema>(type: Type, data: Data) {
  const contact = v.nullable(v.object({ _id: recordId, name: v.nullable(v.string()) }))
  return v.object({ ...columns.entries, type: v.literal(type), contact, created_by: author, data })
}

/** `data` has the contents beside the ticket. */
export const notificationRecord = named(
  'Notification',
  v.variant('type', [
    notificationOf('mention', v.object({ note_id: recordId, text })),
    notificationOf('assignment', v.object({})),
    notificationOf('bulk_assignment', v.object({ bulk_action_id: recordId, count: v.number() })),
    notificationOf(
      'bulk_action_completed',
      v.object({ bulk_action_id: recordId, action: text, changed_count: v.number(), refused_count: v.number() }),
    ),
    notificationOf('message_failed', v.object({ message_id: text, code: text, message: text })),
    notificationOf('assistant_handed_over', v.object({ assistant_id: recordId, reason: text, note: v.nullable(text) })),
    notificationOf('scheduled_message_failed', v.object({ scheduled_message_id: recordId, code: text, message: text })),
  ]),
)

type NotificationRecord = InMemory<v.InferOutput<typeof notificationRecord>>

/** `name`: of the contact. `full_name`: of the user who caused it. */
export function toNotificationRecord({ notification: row, name, full_name }: NotificationView): NotificationRecord {
  const { type, data, chat_user, created_by } = row
  return {
    ...valuesOf(columns, row),
    contact: chat_user ? { _id: chat_user, name: name ?? null } : null,
    created_by: created_by && full_name ? { id: created_by, full_name } : null,
    // The row has the type and the data of one variant.
    ...({ type, data } as Pick<NotificationRecord, 'type' | 'data'>),
  } as NotificationRecord
}

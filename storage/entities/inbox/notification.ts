import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** The contents of a notification beside its ticket, by type. */
export type NotificationData = {
  mention: { note_id: string; text: string }
  assignment: Record<string, never>
  bulk_assignment: { bulk_action_id: string; count: number }
  bulk_action_completed: { bulk_action_id: string; action: string; changed_count: number; refused_count: number }
  message_failed: { message_id: string; code: string; message: string }
  assistant_handed_over: { assistant_id: string; reason: string; note: string | null }
  scheduled_message_failed: { scheduled_message_id: string; code: string; message: string }
}

export type NotificationType = keyof NotificationData

/** News for one agent. */
export const Notification = defineEntity({
  name: 'Notification',
  tableName: 'notification',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    /** The agent. */
    user_id: p.text(),
    type: p.text().$type<NotificationType>(),
    ticket_id: p.text().nullable(),
    chat_user: p.text().nullable(),
    /** The user who caused it; null for programs and the service. */
    created_by: p.text().nullable(),
    data: p.json<NotificationData[NotificationType]>().columnType('json'),
    created_at: p.datetime(3),
    read_at: p.datetime(3).nullable(),
  },
})

export type Notification = InferEntity<typeof Notification>

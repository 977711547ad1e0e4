import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { ChannelType } from '../../values/channel_types.ts'

/** `scheduled` → `sent`, `failed` or `cancelled`. A failed one can be scheduled again. */
export type ScheduledMessageStatus = 'scheduled' | 'sent' | 'failed' | 'cancelled'

/** A message that an agent sends to the contact of a ticket at a later time. */
export const ScheduledMessage = defineEntity({
  name: 'ScheduledMessage',
  tableName: 'scheduled_message',
  properties: {
    id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    ticket_id: p.text(),
    chat_user: p.text(),
    status: p.text().$type<ScheduledMessageStatus>(),
    /** The channel type of the contact. */
    channel: p.text().$type<ChannelType>(),
    /** The channel to send it on; null: the contact's own, or the only one of the type. */
    channel_id: p.text().nullable(),
    message: p.json<{ type: string } & Record<string, unknown>>().columnType('json'),
    context: p.json<{ message_id: string }>().columnType('json').nullable(),
    meta_data: p.json<Record<string, unknown>>().columnType('json').nullable(),
    send_at: p.datetime(3),
    /** A message of the person before `send_at` cancels it. */
    cancel_if_answered: p.boolean(),
    cancelled_by: p.text().$type<'agent' | 'answer'>().nullable(),
    /** The message that was sent. */
    message_id: p.text().nullable(),
    /** The refusal at `send_at`. */
    error: p.json<{ code: string; message: string }>().columnType('json').nullable(),
    /** The agent in whose name it is sent. */
    created_by: p.text(),
    created_at: p.datetime(3),
    /** The request that scheduled it, and its trace where traces are on. */
    request_id: p.text().nullable(),
    traceparent: p.text().nullable(),
    updated_at: p.datetime(3),
  },
})

export type ScheduledMessage = InferEntity<typeof ScheduledMessage>

import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A message on its way to the provider; the row is deleted when the provider has answered. */
export const Dispatch = defineEntity({
  name: 'Dispatch',
  tableName: 'dispatch',
  properties: {
    message_id: p.text().primary(),
    channel_id: p.text(),
    project_id: p.text(),
    /** Order in which the channel accepted the messages. */
    number: p.bigint('number'),
    recipient: p.text(),
    request: p.json<Record<string, unknown>>().columnType('json'),
    state: p.text().$type<'queued' | 'attempting'>(),
    /** True for messages of a broadcast: others are sent before them. */
    is_bulk: p.boolean(),
    /** Bulk messages of the channel's broadcasts take turns. Null for rows stored before this column existed. */
    broadcast_id: p.text().nullable(),
    attempts: p.integer(),
    next_attempt_at: p.datetime(3).nullable(),
    /** Error of the last attempt. Null when there was none, or its outcome is unknown. */
    last_error: p.json<{ code: string; message: string }>().columnType('json').nullable(),
    created_at: p.datetime(3),
    /** The request from which the message came, and its trace where traces are on. Null for what Parley does by itself. */
    request_id: p.text().nullable(),
    traceparent: p.text().nullable(),
  },
})

export type Dispatch = InferEntity<typeof Dispatch>

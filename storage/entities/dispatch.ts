import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A message on its way to the provider; the row goes when the provider has answered. */
export const Dispatch = defineEntity({
  name: 'Dispatch',
  tableName: 'dispatch',
  properties: {
    message_id: p.text().primary(),
    channel_id: p.text(),
    project_id: p.text(),
    /** The order in which the channel accepted it. */
    number: p.bigint('number'),
    recipient: p.text(),
    request: p.json<Record<string, unknown>>().columnType('json'),
    state: p.text().$type<'queued' | 'attempting'>(),
    /** Of a broadcast: others go before it. */
    is_bulk: p.boolean(),
    /** Bulk messages of the channel's broadcasts take turns. Null for those that were stored before it was known. */
    broadcast_id: p.text().nullable(),
    attempts: p.integer(),
    next_attempt_at: p.datetime(3).nullable(),
    /** Why the last attempt failed. Null when there was none, or nobody knows what came of it. */
    last_error: p.json<{ code: string; message: string }>().columnType('json').nullable(),
    created_at: p.datetime(3),
  },
})

export type Dispatch = InferEntity<typeof Dispatch>

import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export type RecipientStatus = 'pending' | 'sent' | 'delivered' | 'read' | 'failed'

/** One recipient of a broadcast that was taken up, with the state of its message. */
export const BroadcastRecipient = defineEntity({
  name: 'BroadcastRecipient',
  tableName: 'broadcast_recipient',
  properties: {
    broadcast_id: p.text().primary(),
    /** Its place in the request, from 0. */
    index: p.integer().primary(),
    phone: p.text(),
    status: p.text().$type<RecipientStatus>(),
    /** Null when no message was created. */
    message_id: p.text().nullable(),
    error: p.json<{ code: string; message: string }>().columnType('json').nullable(),
    updated_at: p.datetime(3),
  },
})

export type BroadcastRecipient = InferEntity<typeof BroadcastRecipient>

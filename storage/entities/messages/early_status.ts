import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/**
 * A status under a provider's id that no message has yet: it arrived before the answer with the id was stored, or it is a
 * notice that arrived before the message that it changes.
 */
export const EarlyStatus = defineEntity({
  name: 'EarlyStatus',
  tableName: 'early_status',
  properties: {
    channel_id: p.text().primary(),
    provider_message_id: p.text().primary(),
    status: p.text().$type<'sent' | 'delivered' | 'read' | 'failed' | 'edited' | 'deleted'>().primary(),
    at: p.datetime(3),
    error: p.json<{ code: string; message: string }>().columnType('json').nullable(),
    /** In the format of WhatsApp's `statuses[]`, where the provider has it. */
    raw: p.json<Record<string, unknown>>().columnType('json').nullable(),
    /** Our id of the notice that the message was edited or withdrawn. */
    notice_id: p.text().nullable(),
    created_at: p.datetime(3),
  },
})

export type EarlyStatus = InferEntity<typeof EarlyStatus>

import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/**
 * What a provider charges for a message: one row for a delivered message whose price was reported. It names no person, and
 * stays when the message is erased.
 */
export const MessageCost = defineEntity({
  name: 'MessageCost',
  tableName: 'message_cost',
  properties: {
    message_id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    channel_id: p.text(),
    broadcast_id: p.text().nullable(),
    /** As the provider names it: `marketing`, `utility`, … */
    category: p.text(),
    billable: p.boolean(),
    /** Null when no rate was known. */
    amount: p.decimal('number').columnType('numeric').nullable(),
    currency: p.text().nullable(),
    charged_at: p.datetime(3),
  },
})

export type MessageCost = InferEntity<typeof MessageCost>

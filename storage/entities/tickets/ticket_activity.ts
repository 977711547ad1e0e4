import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/**
 * The fields that change with every message of a ticket. They are apart from the ticket, so that a busy conversation
 * writes a row of a few bytes, in place, once per turn. A ticket without a row has had no activity since it was opened.
 */
export const TicketActivity = defineEntity({
  name: 'TicketActivity',
  tableName: 'ticket_activity',
  properties: {
    ticket_id: p.text().primary(),
    /** Unread messages of the person. */
    unread_count: p.integer(),
    last_activity_at: p.datetime(3),
    /** Number of messages of the person since the ticket was opened. */
    inbound_count: p.integer(),
    /** When the person wrote the first message that has no answer. */
    waiting_since: p.datetime(3).nullable(),
  },
})

export type TicketActivity = InferEntity<typeof TicketActivity>

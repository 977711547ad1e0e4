import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/**
 * What moves with every message of a ticket. Apart from the ticket, so that a busy conversation writes a row of a few
 * bytes, in place, once per turn; a ticket without a row has seen nothing since it was opened.
 */
export const TicketActivity = defineEntity({
  name: 'TicketActivity',
  tableName: 'ticket_activity',
  properties: {
    ticket_id: p.text().primary(),
    /** Messages of the person that nobody has read. */
    unread_count: p.integer(),
    last_activity_at: p.datetime(3),
  },
})

export type TicketActivity = InferEntity<typeof TicketActivity>

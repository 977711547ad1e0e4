import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** The place up to which an agent has read a ticket. It only moves forward. */
export const TicketRead = defineEntity({
  name: 'TicketRead',
  tableName: 'ticket_read',
  properties: {
    ticket_id: p.text().primary(),
    user_id: p.text().primary(),
    project_id: p.text(),
    /** Number of the person's messages read: those of `inbox_entry.inbound_count` beyond it are unread. */
    read_count: p.integer(),
    read_at: p.datetime(3),
  },
})

export type TicketRead = InferEntity<typeof TicketRead>

import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** The place up to which an agent has read a ticket. It moves back only when the agent marks the ticket as unread. */
export const TicketRead = defineEntity({
  name: 'TicketRead',
  tableName: 'ticket_read',
  properties: {
    ticket_id: p.text().primary(),
    user_id: p.text().primary(),
    project_id: p.text(),
    /** Number of the person's messages read: those of `inbox_entry.inbound_count` beyond it are unread. */
    read_count: p.integer(),
    /** The highest `read_count` before it was taken back; null before that. The person's receipts follow it. */
    seen_count: p.integer().nullable(),
    read_at: p.datetime(3),
  },
})

export type TicketRead = InferEntity<typeof TicketRead>

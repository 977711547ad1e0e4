import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { TicketHandler, TicketPriority } from '../tickets/ticket.ts'

/**
 * A ticket in the inbox, with everything that the list filters and sorts by. A trigger copies the columns of the ticket;
 * the project's turns write the others.
 */
export const InboxEntry = defineEntity({
  name: 'InboxEntry',
  tableName: 'inbox_entry',
  properties: {
    ticket_id: p.text().primary(),
    project_id: p.text(),
    is_closed: p.boolean(),
    assigned_to: p.text().nullable(),
    /** The same value as that of the ticket. */
    handled_by: p.text().$type<TicketHandler>().nullable(),
    stage_id: p.text().nullable(),
    priority: p.text().$type<TicketPriority>().nullable(),
    tag_ids: p.array<string>().columnType('text[]'),
    channel_type: p.text().nullable(),
    /** The channel on which the person wrote last, else that of the contact. */
    channel_id: p.text().nullable(),
    /** Number of messages of the person since the ticket was opened. */
    inbound_count: p.integer(),
    /** When the person wrote the first message that has no answer; null when all are answered. */
    waiting_since: p.datetime(3).nullable(),
    /** The last message, note or news of an appointment. Bulk messages and events of programs do not count. */
    last_activity_at: p.datetime(3),
    /** Null when it is not snoozed. */
    snoozed_at: p.datetime(3).nullable(),
    /** Null also when it is snoozed until the next message. */
    snoozed_until: p.datetime(3).nullable(),
    /** A message of the person cancels scheduled messages. */
    cancels_on_answer: p.boolean(),
    /** When a reply failed last; null when none did, or one was sent since. */
    failed_at: p.datetime(3).nullable(),
    /** Since when the person had waited for the last answer; null before the first. */
    answered_since: p.datetime(3).nullable(),
    /** Replies since the person's message at `answered_since` that have not failed. */
    answer_count: p.integer(),
  },
})

export type InboxEntry = InferEntity<typeof InboxEntry>

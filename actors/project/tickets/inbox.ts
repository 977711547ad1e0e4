/**
 * The place of a ticket in the inbox of agents. Messages, notes and appointments move a ticket to the top. The events of
 * programs and bulk messages do not: a shop that reports each order would bury the people who wait for an answer.
 *
 * A trigger copies the columns of the ticket into its entry (migration 0044).
 */
import { type ActiveTicket, type Contact, InboxEntry, TicketActivity } from '../../../storage/mod.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { endSnooze } from './snooze.ts'

/** The durable timer that cancels scheduled messages after a message of the person. `answered_at`: Unix milliseconds. */
export type TicketAnswered = { ticket_id: string; answered_at: number }

/** A ticket was opened. */
export function enterInbox(turn: ProjectTurn, ticket: ActiveTicket, { channel_type, channel_id }: Contact): void {
  write(turn, ticket, { channel_type, channel_id })
}

/** A person wrote on this channel. The ticket waits from then on, and is no longer snoozed. */
export function inboxReceived(turn: ProjectTurn, ticket: ActiveTicket, channel_id: string): void {
  ticket.waiting_since ??= turn.now
  endSnooze(turn, ticket, { reason: 'message' })
  inboxObserved(turn, ticket, channel_id)
}

/** A person wrote on this channel, and somebody else answers. */
export function inboxObserved(turn: ProjectTurn, ticket: ActiveTicket, channel_id: string): void {
  ticket.inbound_count += 1
  keepActivity(turn, ticket)
  write(turn, ticket, { channel_id, ...(ticket.cancels_on_answer && { cancels_on_answer: false }) })
  if (!ticket.cancels_on_answer) return
  ticket.cancels_on_answer = false
  const answered: TicketAnswered = { ticket_id: ticket._id, answered_at: turn.now.getTime() }
  turn.timer(`answered/${ticket._id}`, turn.now, { type: 'ticket_answered', ...answered, cause: turn.cause })
}

/** Another app passed the conversation to the project, whose answer the person waits for. */
export function inboxHanded(turn: ProjectTurn, ticket: ActiveTicket, channel_id: string): void {
  ticket.waiting_since ??= turn.now
  keepActivity(turn, ticket)
  endSnooze(turn, ticket, { reason: 'message' })
  write(turn, ticket, { channel_id })
}

/** Somebody answered, on behalf of the project. */
export function inboxAnswered(turn: ProjectTurn, ticket: ActiveTicket): void {
  if (ticket.waiting_since) {
    Object.assign(ticket, { answered_since: ticket.waiting_since, answer_count: 0, waiting_since: null })
    keepActivity(turn, ticket)
  }
  ticket.answer_count += 1
  ticket.failed_at = null
  const { failed_at, answered_since, answer_count } = ticket
  write(turn, ticket, { failed_at, answered_since, answer_count })
}

/** Something else happened that agents should see. */
export function inboxMoved(turn: ProjectTurn, ticket: ActiveTicket): void {
  write(turn, ticket)
}

function keepActivity(turn: ProjectTurn, { _id: ticket_id, last_activity_at, ...ticket }: ActiveTicket): void {
  const { inbound_count, waiting_since } = ticket
  turn.upsert(TicketActivity, { ticket_id, last_activity_at, inbound_count, waiting_since })
}

function write(turn: ProjectTurn, ticket: ActiveTicket, more: Partial<InboxEntry> = {}): void {
  const { _id: ticket_id, inbound_count, waiting_since } = ticket
  const { project_id } = turn.state
  turn.upsert(InboxEntry, { ticket_id, project_id, last_activity_at: turn.now, inbound_count, waiting_since, ...more })
}

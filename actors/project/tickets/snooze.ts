/**
 * Snoozed tickets are out of the list of open tickets until a moment, or until the person writes.
 *
 * 1. The entry in the inbox says whether a ticket is snoozed. A ticket that comes back at a moment has a durable timer,
 *    which is set, moved and cancelled in the transaction of the entry's change.
 * 2. A timer finds out from the entry whether it still counts, so one that fires too early or for nothing does no harm.
 */
import { type ActiveTicket, InboxEntry } from '../../../storage/mod.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/**
 * `snoozed` and `ended`: by an agent; `due`: its moment has come; `message`: the person wrote; `closed`: the ticket was
 * closed.
 */
export type SnoozeReason = 'snoozed' | 'ended' | 'due' | 'message' | 'closed'

/** The durable timer. */
export type SnoozeDue = { ticket_id: string }

/** Snoozes the ticket, or ends that, and publishes it. `user_id`: the agent who did it. */
export function setSnooze(
  turn: ProjectTurn,
  ticket: ActiveTicket,
  { snoozed_at, snoozed_until }: Pick<ActiveTicket, 'snoozed_at' | 'snoozed_until'>,
  { reason, user_id = null }: { reason: SnoozeReason; user_id?: string | null },
): void {
  const had_timer = ticket.snoozed_until !== null
  Object.assign(ticket, { snoozed_at, snoozed_until })
  const moved = reason === 'due' ? { last_activity_at: turn.now } : {}
  turn.update(InboxEntry, { ticket_id: ticket._id }, { snoozed_at, snoozed_until, ...moved })
  if (snoozed_until) setTimer(turn, ticket._id, snoozed_until)
  else if (had_timer) turn.cancel(timerOf(ticket._id))
  turn.live(turn.key, () => ({ type: 'snooze.changed', data: { ...snoozeOf(ticket), ...moved, reason, user_id } }))
}

/** Ends the snooze of a ticket that is snoozed. */
export function endSnooze(
  turn: ProjectTurn,
  ticket: ActiveTicket,
  cause: { reason: SnoozeReason; user_id?: string | null },
): void {
  if (ticket.snoozed_at) setSnooze(turn, ticket, { snoozed_at: null, snoozed_until: null }, cause)
}

export function setTimer(turn: ProjectTurn, ticket_id: string, at: Date): void {
  const message: SnoozeDue = { ticket_id }
  turn.timer(timerOf(ticket_id), at, { type: 'snooze_due', ...message, cause: turn.cause })
}

function timerOf(ticket_id: string): string {
  return `snooze/${ticket_id}`
}

/** The snooze as agents see it. */
export function snoozeOf({ _id: ticket_id, snoozed_at, snoozed_until }: ActiveTicket) {
  return { ticket_id, snoozed_at, snoozed_until }
}

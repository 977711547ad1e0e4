/** The durable timers after which visitors of the web chat who have gone get by e-mail what they have not read. */
import type { Contact } from '../../../storage/mod.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** The timer, which looks for unread messages when it is due. */
export type UnreadMailDue = { contact_id: string; name: string }

/** Call this when a visitor is written to, and when one leaves an address. */
export function watchUnread(turn: ProjectTurn, contact: Contact): void {
  const { _id, channel_type, email, merged_into } = contact
  const { unread_mail_minutes: minutes } = turn.state
  if (minutes === null || channel_type !== 'web' || !email || merged_into) return
  const now = turn.now.getTime()
  const wait_ms = minutes * 60_000
  // All messages of one period share a timer. A steady flow of messages cannot put it off for ever.
  setUnreadTimer(turn, { contact_id: _id, name: `unread_mail/${_id}/${Math.floor(now / wait_ms)}` }, now + wait_ms)
}

/** `at`: Unix milliseconds. */
export function setUnreadTimer(turn: ProjectTurn, due: UnreadMailDue, at: number): void {
  turn.timer(due.name, new Date(at), { type: 'unread_mail_due', ...due, cause: turn.cause })
}

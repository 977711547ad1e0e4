/** Changes of scheduled messages: the row, its timer and what agents see change in one transaction. */
import { Refusal } from '../../../runtime/mod.ts'
import { type Contact, InboxEntry, ScheduledMessage, type Ticket } from '../../../storage/mod.ts'
import { type ErrorCode, errorCatalogue, isErrorCode } from '../../error_catalogue.ts'
import type { Payload } from '../../providers/mod.ts'
import { toScheduledMessageRecord } from '../../records/mod.ts'
import { addressOf } from '../contacts/identity.ts'
import type { SendMessage } from '../messages/send_message.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** The durable timer. */
export type ScheduledMessageDue = { id: string }

type Outcome = Partial<
  Pick<
    ScheduledMessage,
    | 'status'
    | 'channel'
    | 'message'
    | 'send_at'
    | 'cancel_if_answered'
    | 'cancelled_by'
    | 'message_id'
    | 'error'
    | 'created_by'
  >
>

/** Writes what has changed, sets or cancels the timer, and publishes the record. */
export function changeScheduled(turn: ProjectTurn, row: ScheduledMessage, change: Outcome): void {
  const was_scheduled = row.status === 'scheduled'
  const patch = { ...change, updated_at: turn.now }
  Object.assign(row, patch)
  turn.update(ScheduledMessage, { id: row.id }, patch)
  if (row.status === 'scheduled') setTimer(turn, row)
  else if (was_scheduled) turn.cancel(timerOf(row.id))
  publish(turn, row)
}

export function publish(turn: ProjectTurn, row: ScheduledMessage): void {
  const data = toScheduledMessageRecord(row)
  const brief = () => {
    const { message, meta_data, ...rest } = data
    return { ...rest, partial: true, stale: true }
  }
  turn.live(turn.key, () => ({ type: 'scheduled_message.changed', data, brief }))
}

/** `at`: another moment than that of sending. */
export function setTimer(turn: ProjectTurn, { id, send_at }: ScheduledMessage, at = send_at): void {
  const message: ScheduledMessageDue = { id }
  turn.timer(timerOf(id), at, { type: 'scheduled_message_due', ...message })
}

function timerOf(id: string): string {
  return `scheduled_message/${id}`
}

/** Has a message of the person on this ticket cancel what it cancels. */
export function watchForAnswer(turn: ProjectTurn, ticket: Pick<Ticket, '_id'> & { cancels_on_answer?: boolean }): void {
  ticket.cancels_on_answer = true
  turn.update(InboxEntry, { ticket_id: ticket._id }, { cancels_on_answer: true })
}

/** The send, to where the contact is reached now. */
export function sendingOf(
  {
    channel_id,
    message,
    context,
    meta_data,
  }: Pick<ScheduledMessage, 'channel_id' | 'message' | 'context' | 'meta_data'>,
  contact: Contact,
): SendMessage {
  return {
    type: 'send_message',
    ...addressOf(contact),
    channel_id: channel_id ?? contact.channel_id ?? undefined,
    message: message as Payload,
    context: context ?? undefined,
    meta_data: meta_data ?? undefined,
  }
}

/** A refusal as the record has it. Throws everything else. */
export function errorOf(error: unknown): { code: string; message: string } {
  if (!(error instanceof Refusal)) throw error
  const { code, text } = error
  return { code, message: text ?? (isErrorCode(code) ? errorCatalogue[code as ErrorCode].message : code) }
}

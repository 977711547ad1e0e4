/** The time of a scheduled message has come: sends it, in the same transaction that marks it as sent. */
import { causeOf, Refusal, Unavailable } from '../../../runtime/mod.ts'
import { isNotice, type ScheduledMessage } from '../../../storage/mod.ts'
import { contactOn } from '../contacts/contact.ts'
import { contactNamed, contactReads } from '../contacts/reads.ts'
import { definitionsOf } from '../definitions/reads.ts'
import { warningsFor } from '../messages/accepted.ts'
import { messageReads } from '../messages/reads.ts'
import { prepareSend, sendMessage } from '../messages/send_message.ts'
import { notify } from '../notifications/notify.ts'
import { ticketsOf } from '../tickets/reads.ts'
import type { ProjectContext, Receiver } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { scheduledReads, wantScheduled } from './reads.ts'
import { changeScheduled, errorOf, type ScheduledMessageDue, sendingOf, setTimer } from './write.ts'

/** Pause while too many messages wait for the channel. */
const AGAIN_MS = 30_000

const NOT_ACTIVE = {
  code: 'AGENT_NOT_ACTIVE',
  message: 'The agent who scheduled the message is no agent any more; another agent can schedule it again.',
}

/** From the timer. What is not due, or no longer, is left alone: a timer that fires early or twice does no harm. */
export const sendScheduled: Receiver<ScheduledMessageDue> = {
  reads(reads, { id }) {
    wantScheduled(reads, id)
  },
  receive(turn, { id }, context) {
    const row = turn.records.of(scheduledReads).by_id.get(id)
    if (row?.status !== 'scheduled') return
    turn.cause = causeOf(row)
    // It is being erased with its contact: a notification of its failure would outlive it.
    if (!turn.records.of(contactReads).by_id.has(row.chat_user)) return
    // The clock was set back after the timer fired, which took the timer.
    if (row.send_at > turn.now) return setTimer(turn, row)
    if (row.cancel_if_answered && isAnswered(turn, row)) {
      return changeScheduled(turn, row, { status: 'cancelled', cancelled_by: 'answer' })
    }
    if (!definitionsOf(turn).users.get(row.created_by)?.is_agent) {
      return fail(turn, row, NOT_ACTIVE)
    }
    try {
      const message_id = send(turn, row, context)
      changeScheduled(turn, row, { status: 'sent', message_id })
    } catch (error) {
      if (error instanceof Unavailable) return setTimer(turn, row, new Date(turn.now.getTime() + AGAIN_MS))
      fail(turn, row, errorOf(error))
    }
  },
}

/** Its agent is notified. The ticket may have been deleted meanwhile. */
function fail(turn: ProjectTurn, row: ScheduledMessage, error: { code: string; message: string }): void {
  changeScheduled(turn, row, { status: 'failed', error })
  const ticket = ticketsOf(turn).by_id.get(row.ticket_id)
  const data = { scheduled_message_id: row.id, ...error }
  notify(turn, row.created_by, { type: 'scheduled_message_failed', ticket, created_by: null, data })
}

/** The person has written since it was scheduled, before this turn or in it. */
function isAnswered({ records }: ProjectTurn, { id, chat_user, updated_at }: ScheduledMessage): boolean {
  if (records.of(scheduledReads).answered.has(id)) return true
  const messages = [...(records.find(messageReads)?.rows.values() ?? [])]
  return messages.some((one) => {
    return one.chat_user === chat_user && one.direction === 'inbound' && !isNotice(one) && one.created_at > updated_at
  })
}

/** @throws {Refusal} WINDOW_CLOSED, and the codes of the send, before any change */
function send(turn: ProjectTurn, row: ScheduledMessage, context: ProjectContext): string {
  const contact = contactNamed(turn.records, row.chat_user)!
  const sending = sendingOf(row, contact)
  const { channel, provider, person } = prepareSend(turn, sending, context.providers, row.id)
  // A message by another channel than the contact's goes to the person's contact there, if there is one.
  const recipient = contactOn(turn, channel, person) ?? { ...contact, windows: {} }
  const closed = warningsFor(turn, provider, channel, recipient, sending.message).find(
    ({ code }) => code === 'WINDOW_CLOSED',
  )
  // The provider would refuse it, and agents see it sooner so.
  if (closed) throw new Refusal(closed.code, { message: closed.message })
  const result = sendMessage.run(turn, sending, { ...context, token_id: '', user_id: row.created_by })
  return (result as { body: { id: string } }).body.id
}

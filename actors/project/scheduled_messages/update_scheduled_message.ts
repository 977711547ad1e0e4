import { causeColumns } from '../../../runtime/mod.ts'
import type { ScheduledMessage } from '../../../storage/mod.ts'
import type { Payload } from '../../providers/mod.ts'
import { toScheduledMessageRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { contactNamed } from '../contacts/reads.ts'
import { prepareSend } from '../messages/send_message.ts'
import { ticketsOf, wantTickets } from '../tickets/reads.ts'
import type { Command } from '../turn/feature.ts'
import { mustBeAhead } from '../turn/future.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { scheduledReads, wantScheduled } from './reads.ts'
import { changeScheduled, sendingOf, watchForAnswer } from './write.ts'

/** Missing fields stay as they are. `send_at`: ISO 8601. */
export type UpdateScheduledMessage = {
  type: 'update_scheduled_message'
  id: string
  message?: Payload | undefined
  send_at?: string | undefined
  cancel_if_answered?: boolean | undefined
}

export type CancelScheduledMessage = { type: 'cancel_scheduled_message'; id: string }

/**
 * Changes a message that is to come. A failed one gets a new time, and is then sent in the name of this agent.
 * @throws {Refusal} NOT_FOUND, SCHEDULED_MESSAGE_OVER, NO_CONTACT, VALIDATION_ERROR, and the codes of the send
 */
export const updateScheduledMessage = {
  reads(reads, { id, message }) {
    wantScheduled(reads, id, message)
    wantTickets(reads)
    reads.after(scheduledReads, ({ by_id }) => wantTickets(reads, by_id.get(id)?.ticket_id))
  },
  run(turn, { id, send_at, message, cancel_if_answered }, { user_id, providers }) {
    const row = openRow(turn, id)
    const at = send_at === undefined ? undefined : mustBeAhead('send_at', send_at, turn.now)
    const failed = row.status === 'failed'
    if (failed && !at) {
      const violation = { path: 'send_at', message: 'is required: the message has failed', code: 'required' }
      throw refuse('VALIDATION_ERROR', { violations: [violation] }, 'send_at is required: the message has failed')
    }
    const content = (message as ScheduledMessage['message'] | undefined) ?? row.message
    const contact = contactNamed(turn.records, row.chat_user)
    if (!contact) throw refuse('NO_CONTACT', { chat_user: row.chat_user })
    // An empty change would wait for another answer than the message did.
    if (!message && !at && cancel_if_answered === undefined) return { body: toScheduledMessageRecord(row) }
    if (message || failed) prepareSend(turn, sendingOf({ ...row, message: content }, contact), providers, id)
    changeScheduled(turn, row, {
      ...(message && { message: content }),
      ...(at && { send_at: at, ...causeColumns(turn.cause) }),
      ...(cancel_if_answered !== undefined && { cancel_if_answered }),
      ...(failed && { status: 'scheduled', error: null, created_by: user_id, channel: contact.channel_type }),
    })
    const ticket = ticketsOf(turn).by_id.get(row.ticket_id)
    if (row.cancel_if_answered && ticket) watchForAnswer(turn, ticket)
    return { body: toScheduledMessageRecord(row) }
  },
} satisfies Command<UpdateScheduledMessage>

/**
 * Cancels a message that is to come, or has failed. Returns the record.
 * @throws {Refusal} NOT_FOUND, SCHEDULED_MESSAGE_OVER when it was sent
 */
export const cancelScheduledMessage = {
  reads(reads, { id }) {
    reads.of(scheduledReads).ids.add(id)
  },
  run(turn, { id }) {
    const known = turn.records.of(scheduledReads).by_id.get(id)
    if (known?.status !== 'cancelled') {
      changeScheduled(turn, openRow(turn, id), { status: 'cancelled', cancelled_by: 'agent' })
    }
    return { body: toScheduledMessageRecord(turn.records.of(scheduledReads).by_id.get(id)!) }
  },
} satisfies Command<CancelScheduledMessage>

function openRow(turn: ProjectTurn, id: string): ScheduledMessage {
  const row = turn.records.of(scheduledReads).by_id.get(id)
  if (!row) throw refuse('NOT_FOUND')
  const { status } = row
  if (status === 'sent' || status === 'cancelled') throw refuse('SCHEDULED_MESSAGE_OVER', { status })
  return row
}

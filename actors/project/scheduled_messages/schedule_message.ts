import { causeColumns } from '../../../runtime/mod.ts'
import { blank, objectId, ScheduledMessage } from '../../../storage/mod.ts'
import { toScheduledMessageRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { contactNamed } from '../contacts/reads.ts'
import { prepareSend, type SendMessage, wantContent } from '../messages/send_message.ts'
import { ticketsOf, wantTickets } from '../tickets/reads.ts'
import type { Command } from '../turn/feature.ts'
import { mustBeAhead } from '../turn/future.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { maxScheduledOfProject, maxScheduledOfTicket } from './bounds.ts'
import { scheduledReads } from './reads.ts'
import { publish, sendingOf, setTimer, watchForAnswer } from './write.ts'

/** `send_at`: ISO 8601. */
export type ScheduleMessage = {
  type: 'schedule_message'
  ticket_id: string
  send_at: string
  cancel_if_answered: boolean
} & Pick<SendMessage, 'message' | 'context' | 'channel_id' | 'meta_data'>

/** The messages of a ticket whose contact's channel is not known before the read. Templates are sent on WhatsApp only. */
const CHANNEL = 'whatsapp'

/**
 * Stores a message that is sent to the contact of a ticket at a later time. Makes the checks of a send beforehand.
 * @throws {Refusal} NOT_FOUND, NO_CONTACT, VALIDATION_ERROR, SCHEDULED_MESSAGES_FULL, and the codes of the send
 */
export const scheduleMessage = {
  reads(reads, { ticket_id, message, context }) {
    wantTickets(reads, ticket_id)
    reads.of(scheduledReads).counted.add(ticket_id)
    wantContent(reads, { channel: CHANNEL, context, message })
  },
  run(turn, command, { user_id, providers }) {
    const { ticket_id, channel_id = null, message, context = null, meta_data = null, cancel_if_answered } = command
    const ticket = ticketsOf(turn).by_id.get(ticket_id)
    if (!ticket) throw refuse('NOT_FOUND')
    const { chat_user } = ticket
    const contact = contactNamed(turn.records, chat_user)
    if (!contact) throw refuse('NO_CONTACT', { chat_user })
    const send_at = mustBeAhead('send_at', command.send_at, turn.now)
    const { company_id, project_id } = turn.state
    const row = blank(ScheduledMessage, {
      id: objectId(),
      company_id,
      project_id,
      ticket_id,
      chat_user,
      status: 'scheduled',
      channel: contact.channel_type,
      channel_id,
      message: message as ScheduledMessage['message'],
      context,
      meta_data,
      send_at,
      cancel_if_answered,
      created_by: user_id,
      created_at: turn.now,
      updated_at: turn.now,
      ...causeColumns(turn.cause),
    })
    prepareSend(turn, sendingOf(row, contact), providers, row.id)
    takePlace(turn, ticket_id)
    turn.records.of(scheduledReads).by_id.set(row.id, row)
    turn.insert(ScheduledMessage, row)
    setTimer(turn, row)
    if (cancel_if_answered) watchForAnswer(turn, ticket)
    publish(turn, row)
    return { body: toScheduledMessageRecord(row) }
  },
} satisfies Command<ScheduleMessage>

/** @throws {Refusal} SCHEDULED_MESSAGES_FULL */
function takePlace(turn: ProjectTurn, ticket_id: string): void {
  const found = turn.records.of(scheduledReads)
  const of_ticket = found.tickets.get(ticket_id) ?? 0
  if (of_ticket >= maxScheduledOfTicket) {
    throw refuse('SCHEDULED_MESSAGES_FULL', { most: maxScheduledOfTicket, of: 'ticket' })
  }
  if (found.project >= maxScheduledOfProject) {
    throw refuse('SCHEDULED_MESSAGES_FULL', { most: maxScheduledOfProject, of: 'project' })
  }
  found.tickets.set(ticket_id, of_ticket + 1)
  found.project++
}

/**
 * Effects of messages on the CRM. A message of a person lands on the contact's open ticket, which is opened if
 * necessary, because it is work. A sent message counts as activity on the open ticket, and a template is recorded on
 * its timeline. A send opens no ticket: a campaign is not work.
 */
import type { ActiveTicket, Contact, Message, Thread } from '../../../storage/mod.ts'
import { contactNamed, contactReads } from '../contacts/reads.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { touchTicket } from './change_ticket.ts'
import { inboxAnswered, inboxHanded, inboxObserved, inboxReceived } from './inbox.ts'
import { ensureTicket } from './open_ticket.ts'
import { ticketReads } from './reads.ts'
import { recordEvent } from './timeline.ts'

type FlowAnswer = { flow_token: string | null; response: object; unreadable?: true; message_id: string }

/**
 * A person wrote on this channel. `identity`: the contact with the ids of the message, which may be merged into another one.
 * `answer`: the person's answers, when the message completes a Flow.
 */
export function personWrote(
  turn: ProjectTurn,
  identity: Contact,
  channel_id: string,
  answer: FlowAnswer | undefined,
): void {
  const ticket = ensureTicket(turn, identity)
  touchTicket(turn, ticket, 1)
  inboxReceived(turn, ticket, channel_id)
  if (answer) recordEvent(turn, ticket, 'flow.response_received', answer)
}

/**
 * A person wrote while another app holds the conversation, and answers it. The ticket shows the conversation, and waits for
 * nobody.
 */
export function personWroteElsewhere(turn: ProjectTurn, contact: Contact, channel_id: string): void {
  const ticket = ensureTicket(turn, contact)
  touchTicket(turn, ticket)
  inboxObserved(turn, ticket, channel_id)
}

type ThreadMove = {
  channel_id: string
  holder: Thread['holder']
  previous_holder: Thread['holder'] | null
  note: string | null
  user_id: string | null
}

/** The conversation changed its holder. `is_passed`: to Parley, by another app. The turn has read the tickets. */
export function threadMoved(turn: ProjectTurn, contact: Contact, move: ThreadMove, is_passed: boolean): void {
  const ticket = is_passed ? ensureTicket(turn, contact) : openTicketOf(turn, contact._id)
  if (!ticket) return
  recordEvent(turn, ticket, 'thread.moved', move)
  if (is_passed) inboxHanded(turn, ticket, move.channel_id)
}

/** Another app asks for the conversation. */
export function threadRequested(
  turn: ProjectTurn,
  contact: Contact,
  asked: { channel_id: string; note: string | null },
) {
  const ticket = openTicketOf(turn, contact._id)
  if (ticket) recordEvent(turn, ticket, 'thread.requested', asked)
}

/**
 * A message to a contact was accepted for sending, or the business wrote it elsewhere. `is_answer`: the person does not wait any
 * more.
 */
export function messageSent(
  turn: ProjectTurn,
  contact: Contact,
  row: Message,
  is_answer: boolean = isAnswer(row),
): void {
  const { id: message_id, message } = row
  const ticket = openTicketOf(turn, contact._id)
  if (!ticket) return
  touchTicket(turn, ticket)
  if (is_answer) inboxAnswered(turn, ticket)
  const template = templateIn(message as TemplateMessage)
  if (template) recordEvent(turn, ticket, 'message.template_sent', { ...template, message_id })
}

/** Automatic mail answers nobody, unless an assistant wrote it. */
function isAnswer({ broadcast_id, message, assistant_id }: Message): boolean {
  return !broadcast_id && (message.auto_submitted === undefined || assistant_id !== null)
}

/** The messages of a person were read, except the last `left` ones. */
export function messagesRead(turn: ProjectTurn, contact_id: string, left: number): void {
  const ticket = openTicketOf(turn, contact_id)
  if (ticket && ticket.unread_count > left) touchTicket(turn, ticket, left - ticket.unread_count)
}

/**
 * The open ticket of a contact that the turn has read, preferably from the turn's records of tickets, which are
 * current.
 */
function openTicketOf({ records }: ProjectTurn, contact_id: string): ActiveTicket | undefined {
  const _id = contactNamed(records, contact_id)?._id ?? contact_id
  return (records.find(ticketReads)?.open ?? records.of(contactReads).open_tickets).get(_id)
}

/** A template message in the API's format, or in the provider's. */
type TemplateMessage = {
  type: string
  name?: string
  language?: string
  template?: { name?: unknown; language?: { code?: unknown } | null } | null
}

function templateIn({ type, name, language, template }: TemplateMessage) {
  if (type !== 'template') return undefined
  return { template_name: name ?? template?.name ?? null, language: language ?? template?.language?.code ?? null }
}

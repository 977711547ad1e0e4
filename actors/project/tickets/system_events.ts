/**
 * Effects of messages on the CRM. A message of a person is work: it lands on the open ticket of its contact, which is opened
 * for it. What is sent moves the open ticket on, and a template is on record there; it opens none: a campaign is not work.
 */
import type { ActiveTicket, Contact, Message } from '../../../storage/mod.ts'
import { contactReads } from '../contacts/reads.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { touchTicket } from './change_ticket.ts'
import { ensureTicket } from './open_ticket.ts'
import { ticketReads } from './reads.ts'
import { recordEvent } from './timeline.ts'

/** News of a person, such as a new number, come as messages too; the person did not write them. */
export function isOfPerson({ type }: { type: string }): boolean {
  return type !== 'system'
}

type FlowAnswer = { flow_token: string | null; response: object; message_id: string }

/** A person wrote. `answer`: what the person filled in, when the message answers a Flow. */
export function personWrote(turn: ProjectTurn, contact: Contact, answer: FlowAnswer | undefined): void {
  const ticket = ensureTicket(turn, contact)
  touchTicket(turn, ticket, 1)
  if (answer) recordEvent(turn, ticket, 'flow.response_received', answer)
}

/** A message to a contact was taken for sending. */
export function messageSent(turn: ProjectTurn, contact: Contact, { id: message_id, message }: Message): void {
  const ticket = openTicketOf(turn, contact._id)
  if (!ticket) return
  touchTicket(turn, ticket)
  const template = templateIn(message as TemplateMessage)
  if (template) recordEvent(turn, ticket, 'message.template_sent', { ...template, message_id })
}

/** Somebody has read what a person wrote, all but the `left` last messages. */
export function messagesRead(turn: ProjectTurn, contact_id: string, left: number): void {
  const ticket = openTicketOf(turn, contact_id)
  if (ticket && ticket.unread_count > left) touchTicket(turn, ticket, left - ticket.unread_count)
}

/** The open ticket of a contact that the turn has read. The turn's records of tickets, where it has them, are the latest. */
function openTicketOf({ records }: ProjectTurn, contact_id: string): ActiveTicket | undefined {
  return (records.find(ticketReads)?.open ?? records.of(contactReads).open_tickets).get(contact_id)
}

/** In the form of the API, or in the provider's. */
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

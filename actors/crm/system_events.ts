/**
 * What messages mean to the CRM. A message of a person is work: it lands on the open ticket of its contact, which is opened
 * for it. What is sent is on record there when a ticket is open, and opens none: a campaign is not work.
 *
 * A contact that was made in another project of the company is worked on there: it gets no ticket here.
 */
import type { Contact } from '../../storage/mod.ts'
import type { ProjectTurn } from '../project/events.ts'
import { crmOf, touchTicket } from './change_ticket.ts'
import { ensureTicket } from './open_ticket.ts'
import { recordEvent } from './record_event.ts'

/** News of a person, such as a new number, come as messages too; the person did not write them. */
export function isOfPerson({ type }: { type: string }): boolean {
  return type !== 'system'
}

type FlowAnswer = { flow_token: string | null; response: object; message_id: string }

/** A person wrote. `answer`: what the person filled in, when the message answers a Flow. */
export function personWrote(turn: ProjectTurn, contact: Contact, answer: FlowAnswer | undefined): void {
  if (contact.project_id !== turn.state.project_id) return
  const ticket = ensureTicket(turn, contact)
  touchTicket(turn, ticket, 1)
  if (answer) recordEvent(turn, ticket, 'flow.response_received', answer)
}

/** A template message was taken for sending. */
export function templateSent(
  turn: ProjectTurn,
  contact_id: string,
  sent: { template_name: string; language: string; message_id: string },
): void {
  const ticket = crmOf(turn).open.get(contact_id)
  if (ticket) recordEvent(turn, ticket, 'message.template_sent', sent)
}

/** Somebody has read what a person wrote. */
export function messagesRead(turn: ProjectTurn, contact_id: string): void {
  const ticket = crmOf(turn).open.get(contact_id)
  if (ticket && ticket.unread_count > 0) touchTicket(turn, ticket, 'none')
}

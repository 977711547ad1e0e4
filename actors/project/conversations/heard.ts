import type { ActiveTicket, Contact, Message } from '../../../storage/mod.ts'
import { isAutomaticMail } from '../../assistants/mod.ts'
import { ownAddressOf } from '../contacts/identity.ts'
import { survivorOf } from '../contacts/reads.ts'
import { ticketsOf, wantTickets } from '../tickets/reads.ts'
import type { Receiver } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { deploymentFor, leastAfterMinutes } from './deployment_for.ts'
import { holdConversation, isHeld, type Place, tellAssistant } from './hold.ts'
import { conversationReads } from './reads.ts'

const MINUTE_MS = 60_000

/** The durable timer of a ticket whose person waits, where an assistant answers after some time. */
export type TicketUnanswered = { ticket_id: string; place: Place }

/**
 * A person wrote, and the message is on the open ticket. `identity`: the contact with the ids of the message. Automatic mail is
 * never answered, which ends loops before they begin.
 */
export function assistantHears(turn: ProjectTurn, identity: Contact, row: Message): void {
  const ticket = ticketsOf(turn).open.get(survivorOf(turn.records, identity)._id)
  if (!ticket) return
  if (row.channel === 'email' && isAutomaticMail(row.message, ownAddressOf(identity))) {
    tellAssistant(turn, ticket, { is_question: false })
    return
  }
  const place = { channel_id: row.channel_id, channel_type: row.channel, address: ownAddressOf(identity) }
  if (isHeld(ticket) || mayTake(turn, ticket, place)) tellAssistant(turn, ticket, { place, is_question: true })
}

/** A person changed, or took back, a message that the assistant may have read. */
export function assistantHearsChange(turn: ProjectTurn, identity: Contact): void {
  const ticket = ticketsOf(turn).open.get(survivorOf(turn.records, identity)._id)
  if (ticket) tellAssistant(turn, ticket, { is_question: false })
}

/**
 * Contacts became one. `closed_id`: the ticket of the former contact, where both had one; what waited in it waits in the other
 * one now, which the assistant goes on with unless people have it.
 */
export function assistantHearsJoin(turn: ProjectTurn, contact: Contact, closed_id: string | null): void {
  const { open, by_id } = ticketsOf(turn)
  const ticket = open.get(contact._id)
  if (!ticket) return
  const closed = closed_id === null ? undefined : by_id.get(closed_id)
  const is_question = closed !== undefined && ticket.waiting_since !== null
  const former = closed && turn.records.of(conversationReads).get(closed._id)
  const is_nobodys = !ticket.handled_by && !ticket.assigned_to
  if (former && is_question && is_nobodys && closed.handled_by === 'assistant') {
    const { channel_id, channel_type, address } = former
    holdConversation(turn, ticket, former.assistant_id)
    tellAssistant(turn, ticket, { place: { channel_id, channel_type, address }, is_question })
  } else tellAssistant(turn, ticket, { is_question })
}

/** From the timer. */
export const ticketUnanswered: Receiver<TicketUnanswered> = {
  reads(reads, { ticket_id }) {
    wantTickets(reads, ticket_id)
    reads.of(conversationReads).add(ticket_id)
  },
  receive(turn, { ticket_id, place }) {
    const ticket = ticketsOf(turn).by_id.get(ticket_id)
    if (!ticket?.waiting_since || ticket.is_closed || isHeld(ticket)) return
    if (mayTake(turn, ticket, place)) tellAssistant(turn, ticket, { place, is_question: true })
  },
}

/**
 * Gives the ticket to the assistant whose deployment says so. People who have the ticket keep it, unless they leave the person
 * waiting; a paused conversation stays paused.
 */
function mayTake(turn: ProjectTurn, ticket: ActiveTicket, place: Place): boolean {
  if (turn.state.deployments.count === 0 || ticket.handled_by === 'nobody') return false
  const waiting_ms = ticket.waiting_since ? turn.now.getTime() - ticket.waiting_since.getTime() : 0
  const situation = { ticket, channel_id: place.channel_id!, waiting_minutes: waiting_ms / MINUTE_MS }
  const is_peoples = ticket.handled_by === 'person' || Boolean(ticket.assigned_to)
  const deployment = deploymentFor(turn, { ...situation, now: turn.now, is_peoples })
  if (deployment && !hadItsTurn(turn, ticket, deployment.assistant_id)) {
    holdConversation(turn, ticket, deployment.assistant_id)
    return true
  }
  const minutes = deployment ? undefined : leastAfterMinutes(turn, situation)
  if (minutes !== undefined && ticket.waiting_since) {
    const due_at = new Date(ticket.waiting_since.getTime() + minutes * MINUTE_MS)
    const message: TicketUnanswered = { ticket_id: ticket._id, place }
    turn.timer(`unanswered/${ticket._id}`, due_at, { type: 'ticket_unanswered', ...message, cause: turn.cause })
  }
  return false
}

/** The assistant left the ticket to people since the person began to wait. It would do so again. */
function hadItsTurn(turn: ProjectTurn, { _id, waiting_since }: ActiveTicket, assistant_id: string): boolean {
  const known = turn.records.of(conversationReads).get(_id)
  return known?.assistant_id === assistant_id && waiting_since !== null && known.updated_at >= waiting_since
}

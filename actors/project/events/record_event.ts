/**
 * `POST /v1/crm/events`: records an event of a contact for a client. This is the most frequent command, so the plan of
 * a type is made once, and all reads of a turn with many events run together.
 *
 * All checks come before the first change: a refused event writes nothing.
 */
import { type Contact, type CrmEvent, phoneForms, TicketActivity } from '../../../storage/mod.ts'
import { toCrmEventRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { contactNamed, contactReads } from '../contacts/reads.ts'
import { definitionsOf, wantDefinitions } from '../definitions/reads.ts'
import { bestContact } from '../tickets/best_contact.ts'
import { touchTicket } from '../tickets/change_ticket.ts'
import { ensureTicket } from '../tickets/open_ticket.ts'
import type { OpenTicket } from '../tickets/open_tickets.ts'
import { openTickets, type TicketRecords, ticketReads, ticketsOf } from '../tickets/reads.ts'
import { recordEvent } from '../tickets/timeline.ts'
import type { Command } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { checkData, planOf } from './event_plan.ts'
import { eventReads } from './reads.ts'
import { patchesOf, writeThrough } from './write_through.ts'

/** Names the contact or ticket of the event. */
type Identifier = { ticket_id: string } | { chat_user_id: string } | { customer_id: string } | { phone: string }

export type RecordEvent = {
  type: 'record_event'
  event_type: string
  data: Record<string, unknown>
  /** `phone` is in E.164, with the leading `+`. */
  of: Identifier
  /** Unique in the company. */
  idempotency_key?: string | undefined
}

/**
 * @throws {Refusal} the first of these that applies: EVENT_KEY_REUSED, EVENT_TYPE_NOT_FOUND, MISSING_REQUIRED_FIELDS,
 * INVALID_FIELD_VALUE, TICKET_NOT_FOUND, TICKET_NOT_OPEN, NO_CONTACT; INVALID_FIELD_VALUE again where a record would
 * become too large
 */
export const recordClientEvent = {
  audit: { target: 'crm_event', answered: (body) => newEvent(body as ReturnType<typeof answer>) },
  /** Reads nothing when the event's type writes nothing through and its ticket is known to be open. */
  reads(reads, { event_type, of, idempotency_key }) {
    const definitions = wantDefinitions(reads)
    const ticket_ids = reads.of(ticketReads)
    if (idempotency_key !== undefined) reads.of(eventReads).add(idempotency_key)
    if (definitions) {
      const type = definitions.event_types.get(event_type)
      const writes = type !== undefined && planOf(type, definitions).written.length > 0
      const known = openTickets.of(reads.state)
      if (!writes && 'ticket_id' in of && known.withId(of.ticket_id)) return
      if (!writes && 'chat_user_id' in of && known.of(of.chat_user_id)) return
    }
    if ('ticket_id' in of) {
      ticket_ids.add(of.ticket_id)
      return
    }
    const contacts = reads.of(contactReads)
    if ('chat_user_id' in of) contacts.ids.add(of.chat_user_id)
    else if ('customer_id' in of) contacts.customer_ids.add(of.customer_id)
    else for (const phone of phoneForms(of.phone)) contacts.phones.add(phone)
  },
  run(turn, command) {
    const definitions = definitionsOf(turn)
    const tickets = ticketsOf(turn)
    const events = turn.records.find(eventReads)
    const { event_type, data, of, idempotency_key = null } = command
    const earlier = idempotency_key === null ? undefined : events?.get(idempotency_key)
    // A key is unique in the company, but a project must not see the events of another.
    if (earlier && earlier.project_id !== turn.state.project_id) throw refuse('EVENT_KEY_REUSED')
    if (earlier) return { status: 200, body: answer(earlier, true) }
    const type = definitions.event_types.get(event_type)
    if (!type) throw refuse('EVENT_TYPE_NOT_FOUND', { event_type })
    const plan = planOf(type, definitions)
    checkData(plan, data)
    const { contact, ticket } = find(turn, tickets, of)
    const known = ticket && tickets.by_id.get(ticket._id)
    const custom = { ticket: known?.custom_fields ?? {}, contact: contact?.custom_fields }
    const patches = plan.written.length > 0 ? patchesOf(plan, data, custom) : undefined
    const open = ticket ?? ensureTicket(turn, contact!)
    const event = recordEvent(turn, open, event_type, data, idempotency_key)
    if (idempotency_key !== null) events!.set(idempotency_key, event)
    const row = tickets.by_id.get(open._id)
    if (row) touchTicket(turn, row)
    else turn.upsert(TicketActivity, { ticket_id: open._id, last_activity_at: turn.now })
    if (patches) writeThrough(turn, patches, row!, contact)
    return { body: answer(event, false) }
  },
} satisfies Command<RecordEvent>

function answer(event: CrmEvent, duplicated: boolean) {
  return { event: toCrmEventRecord(event), duplicated }
}

/** For the audit: a repeat leaves no entry. */
function newEvent({ event, duplicated }: ReturnType<typeof answer>) {
  return duplicated ? null : event
}

/** The ticket, the contact, or both. */
function find(
  turn: ProjectTurn,
  tickets: TicketRecords,
  of: Identifier,
): { contact: Contact | undefined; ticket: OpenTicket | undefined } {
  if ('ticket_id' in of) {
    const read = tickets.by_id.get(of.ticket_id)
    const ticket = read ?? tickets.known.withId(of.ticket_id)
    if (!ticket) throw refuse('TICKET_NOT_FOUND')
    if (read?.is_closed) throw refuse('TICKET_NOT_OPEN')
    return { ticket, contact: contactNamed(turn.records, ticket.chat_user) }
  }
  if ('chat_user_id' in of) {
    const ticket = tickets.known.of(of.chat_user_id)
    if (ticket) return { ticket, contact: contactNamed(turn.records, of.chat_user_id) }
  }
  const contact = 'chat_user_id' in of ? contactNamed(turn.records, of.chat_user_id) : bestContact(turn, of)
  if (!contact) throw refuse('NO_CONTACT')
  return { contact, ticket: tickets.open.get(contact._id) }
}

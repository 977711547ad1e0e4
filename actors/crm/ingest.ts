/**
 * `POST /v1/crm/events`: something happened to a contact, said by a client. The path that is taken most often, so what can
 * be known of a type is worked out once, and everything that a turn of many events reads is read at once.
 *
 * All checks come before the first change: nothing is written when an event is refused.
 */
import { type Contact, type CrmEvent, TicketActivity, toCrmEventRecord } from '../../storage/mod.ts'
import type { ProjectTurn } from '../project/events.ts'
import type { CommandResult } from '../project/request.ts'
import { refuse } from '../refuse.ts'
import { crmOf, touchTicket } from './change_ticket.ts'
import { checkData, planOf } from './event_plan.ts'
import { ensureTicket } from './open_ticket.ts'
import type { OpenTicket } from './open_tickets.ts'
import { recordEvent } from './record_event.ts'
import type { CrmRecords } from './records.ts'
import { patchesOf, writeThrough } from './write_through.ts'

/** Whom it happened to. */
type Identifier = { ticket_id: string } | { chat_user_id: string } | { customer_id: string } | { phone: string }

export type RecordEvent = {
  type: 'record_event'
  event_type: string
  data: Record<string, unknown>
  /** `phone` in E.164, with the leading `+`. */
  of: Identifier
  /** Unique in the company. */
  idempotency_key?: string | undefined
}

/**
 * @throws {Refusal} EVENT_KEY_REUSED, EVENT_TYPE_NOT_FOUND, MISSING_REQUIRED_FIELDS, INVALID_FIELD_VALUE, TICKET_NOT_FOUND, TICKET_NOT_OPEN,
 * NO_CONTACT; what comes first in this order. INVALID_FIELD_VALUE again where a record would become too large
 */
export function ingestEvent(turn: ProjectTurn, command: RecordEvent): CommandResult {
  const crm = crmOf(turn)
  const { event_type, data, of, idempotency_key = null } = command
  const earlier = idempotency_key === null ? undefined : crm.events.get(idempotency_key)
  // A key is unique in the company, but a project sees nothing of another.
  if (earlier && earlier.project_id !== turn.state.project_id) throw refuse('EVENT_KEY_REUSED')
  if (earlier) return { status: 200, body: answer(earlier, true) }
  const type = crm.definitions.event_types.get(event_type)
  if (!type) throw refuse('EVENT_TYPE_NOT_FOUND', { event_type })
  const plan = planOf(type, crm.definitions)
  checkData(plan, data)
  const { contact, ticket } = find(turn, crm, of)
  const known = ticket && crm.tickets.get(ticket._id)
  const custom = { ticket: known?.custom_fields ?? {}, contact: contact?.custom_fields }
  const patches = plan.written.length > 0 ? patchesOf(plan, data, custom) : undefined
  const open = ticket ?? ensureTicket(turn, contact!)
  const event = recordEvent(turn, open, event_type, data, idempotency_key)
  const row = crm.tickets.get(open._id)
  if (row) touchTicket(turn, row)
  else turn.upsert(TicketActivity, { ticket_id: open._id, last_activity_at: turn.now })
  if (patches) writeThrough(turn, patches, row!, contact)
  return { body: answer(event, false) }
}

function answer(event: CrmEvent, duplicated: boolean) {
  return { event: toCrmEventRecord(event), duplicated }
}

/** The ticket where there is one, and the contact; one of both at least. */
function find(
  turn: ProjectTurn,
  crm: CrmRecords,
  of: Identifier,
): { contact: Contact | undefined; ticket: OpenTicket | undefined } {
  const { contactsById } = turn.records
  if ('ticket_id' in of) {
    const read = crm.tickets.get(of.ticket_id)
    const ticket = read ?? crm.known.withId(of.ticket_id)
    if (!ticket) throw refuse('TICKET_NOT_FOUND')
    if (read?.is_closed) throw refuse('TICKET_NOT_OPEN')
    return { ticket, contact: contactsById.get(ticket.chat_user) }
  }
  if ('chat_user_id' in of) {
    const ticket = crm.known.of(of.chat_user_id)
    if (ticket) return { ticket, contact: contactsById.get(of.chat_user_id) }
  }
  const contact = 'chat_user_id' in of ? contactsById.get(of.chat_user_id) : bestOf(turn, crm, of)
  if (!contact) throw refuse('NO_CONTACT')
  return { contact, ticket: crm.open.get(contact._id) }
}

/** Of several contacts of a person: the one with an open ticket, else the one that was seen last. */
function bestOf(
  turn: ProjectTurn,
  { open }: CrmRecords,
  of: { customer_id: string } | { phone: string },
): Contact | undefined {
  let best: Contact | undefined
  for (const contact of turn.records.contactsById.values()) {
    if ('phone' in of ? contact.phone !== of.phone : contact.customer_id !== of.customer_id) continue
    if (best === undefined || isBetter(contact, best, open)) best = contact
  }
  return best
}

function isBetter(contact: Contact, best: Contact, open: CrmRecords['open']): boolean {
  const works = open.has(contact._id)
  if (works !== open.has(best._id)) return works
  const later = contact.last_seen_at.getTime() - best.last_seen_at.getTime()
  return later === 0 ? contact._id > best._id : later > 0
}

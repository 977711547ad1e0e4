import { type ActiveTicket, blank, type Contact, objectId, Ticket } from '../../../storage/mod.ts'
import { noteIdentity } from '../contacts/contact.ts'
import { survivorOf } from '../contacts/reads.ts'
import { definitionsOf } from '../definitions/reads.ts'
import { emit } from '../turn/events.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { recordOf } from './change_ticket.ts'
import { enterInbox } from './inbox.ts'
import { keepTicket, ticketsOf } from './reads.ts'
import { recordEvent } from './timeline.ts'

/**
 * The open ticket of a contact. Opens one in the first stage of the default pipeline when there is none. A unique index
 * allows one open ticket per contact. `identity`: the contact with the ids of the
 * person, which may be merged into another one.
 */
export function ensureTicket(turn: ProjectTurn, identity: Contact): ActiveTicket {
  const contact = survivorOf(turn.records, identity)
  const tickets = ticketsOf(turn)
  const known = tickets.open.get(contact._id)
  if (known) return known
  const { company_id, project_id } = turn.state
  const row = blank(Ticket, {
    _id: objectId(),
    company_id,
    project_id,
    chat_user: contact._id,
    is_closed: false,
    tag_ids: [],
    custom_fields: {},
    stage_id: definitionsOf(turn).first_stage?._id ?? null,
    version: 1,
    created_at: turn.now,
    updated_at: turn.now,
  })
  turn.insert(Ticket, row)
  noteIdentity(turn, identity, 'ticket', row._id)
  const unseen = {
    unread_count: 0,
    inbound_count: 0,
    waiting_since: null,
    snoozed_at: null,
    snoozed_until: null,
    cancels_on_answer: false,
    failed_at: null,
    answered_since: null,
    answer_count: 0,
  }
  const ticket: ActiveTicket = { ...row, ...unseen, last_activity_at: turn.now }
  enterInbox(turn, ticket, contact)
  keepTicket(tickets, ticket)
  emit(turn, 'crm.ticket.created', { ticket: recordOf(turn, ticket), changed_fields: [], previous: {} }, contact._id)
  recordEvent(turn, ticket, 'ticket.created', { stage_id: row.stage_id })
  return ticket
}

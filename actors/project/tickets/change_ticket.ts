/**
 * The only way to change a ticket, for requests, rules of stages and recorded events. It finds the real differences, so
 * that a change without any writes nothing and emits no event.
 */
import { isDeepStrictEqual } from 'node:util'
import { type ActiveTicket, type Contact, Ticket, TicketActivity } from '../../../storage/mod.ts'
import { nextTicketClosed } from '../../machines/mod.ts'
import { type TicketPatch, type TicketRecord, ticketColumns, ticketStage } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { contactNamed } from '../contacts/reads.ts'
import type { Definitions } from '../definitions/definitions.ts'
import { definitionsOf } from '../definitions/reads.ts'
import { emit } from '../turn/events.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { keepTicket, type TicketRecords, ticketsOf } from './reads.ts'
import { endSnooze } from './snooze.ts'
import { assigneeOf, handledBy, stageOf, tagsOf, toTicketRecord } from './ticket_record.ts'
import { recordEvent } from './timeline.ts'

/** Columns that may be changed. A missing one stays as it is. */
export type ColumnChange = Partial<
  Pick<ActiveTicket, PatchedColumn | keyof typeof ticketStage.entries | 'tag_ids' | 'handled_by'>
>

type PatchedColumn = keyof TicketPatch & keyof ActiveTicket

/** The ticket as others see it, with the records of the turn. */
export function recordOf(turn: ProjectTurn, ticket: ActiveTicket): TicketRecord {
  return toTicketRecord(ticket, contactNamed(turn.records, ticket.chat_user), definitionsOf(turn))
}

/**
 * Writes the differences, and reports them to subscribers and the timeline. `changed` names fields as the API does; it
 * is empty without differences. `user_id`: the agent who does it, named on the timeline; null for programs and rules.
 * `former`: the contact before a recorded event changed it; the same report of the ticket then has what the record shows of
 * the contact, and is made even if nothing else changed.
 * @throws {Refusal} TICKET_ALREADY_OPEN when a ticket is reopened whose contact has another open ticket
 */
export function changeTicket(
  turn: ProjectTurn,
  ticket: ActiveTicket,
  patch: ColumnChange,
  { user_id = null, former }: { user_id?: string | null | undefined; former?: Contact | undefined } = {},
): { changed: string[] } {
  const tickets = ticketsOf(turn)
  const before = { ...ticket }
  const written = differences(ticket, patch)
  if (written.is_closed !== undefined) Object.assign(written, closingChanges(turn, tickets, ticket, patch))
  // The new assignee has the ticket, whoever had it before.
  if (written.assigned_to && patch.handled_by === undefined && ticket.handled_by) written.handled_by = 'person'
  const is_changed = Object.keys(written).length > 0
  if (!is_changed && !former) return { changed: [] }
  if (is_changed) {
    Object.assign(ticket, written, { version: ticket.version + 1, updated_at: turn.now })
    turn.update(Ticket, { _id: ticket._id }, { ...written, version: ticket.version, updated_at: turn.now })
    keepTicket(tickets, ticket)
  }
  const record = recordOf(turn, ticket)
  const previous = { ...changedFields(before, ticket, definitionsOf(turn)), ...(former && formerNames(former, record)) }
  const changed = Object.keys(previous)
  const data = { ticket: record, changed_fields: changed, previous }
  emit(turn, 'crm.ticket.updated', data, ticket.chat_user)
  if (before.stage_id !== ticket.stage_id) {
    emit(turn, 'crm.ticket.stage_changed', data, ticket.chat_user)
    const moved = { stage_id: ticket.stage_id ?? null, previous_stage_id: before.stage_id ?? null, user_id }
    recordEvent(turn, ticket, 'ticket.stage_changed', moved)
  }
  if (before.assigned_to !== ticket.assigned_to) {
    const data = { assigned_to: ticket.assigned_to ?? null, previous_assigned_to: before.assigned_to ?? null, user_id }
    recordEvent(turn, ticket, 'ticket.assigned', data)
  }
  if ((before.handled_by ?? null) !== (ticket.handled_by ?? null)) {
    const data = { handled_by: ticket.handled_by ?? null, previous_handled_by: before.handled_by ?? null, user_id }
    recordEvent(turn, ticket, 'ticket.handled_by_changed', data)
  }
  if (before.is_closed !== ticket.is_closed) {
    emit(turn, `crm.ticket.${ticket.is_closed ? 'closed' : 'reopened'}`, data, ticket.chat_user)
    if (ticket.is_closed) endSnooze(turn, ticket, { reason: 'closed' })
    if (ticket.is_closed) recordEvent(turn, ticket, 'ticket.closed', { resolution: ticket.resolution ?? null, user_id })
    else recordEvent(turn, ticket, 'ticket.reopened', { user_id })
  }
  return { changed }
}

/** Records activity on the ticket. `unread` is added to the number of unread messages; negative when some were read. */
export function touchTicket(turn: ProjectTurn, ticket: ActiveTicket, unread = 0): void {
  ticket.unread_count += unread
  ticket.last_activity_at = turn.now
  const { _id: ticket_id, unread_count, last_activity_at } = ticket
  turn.upsert(TicketActivity, { ticket_id, unread_count, last_activity_at })
}

function differences(ticket: ActiveTicket, patch: ColumnChange): Partial<Ticket> {
  const written: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(patch)) {
    const present = ticket[column as keyof ColumnChange] ?? null
    if (value !== undefined && !isDeepStrictEqual(present, value)) written[column] = value
  }
  return written
}

/** The columns that closing or reopening also changes. */
function closingChanges(
  turn: ProjectTurn,
  { open }: TicketRecords,
  ticket: ActiveTicket,
  patch: ColumnChange,
): Partial<Ticket> {
  const is_closed = nextTicketClosed(ticket.is_closed, patch.is_closed ? 'close' : 'reopen')
  if (is_closed) return { is_closed, closed_at: turn.now }
  const other = open.get(ticket.chat_user)
  if (other && other !== ticket) throw refuse('TICKET_ALREADY_OPEN', { ticket_id: other._id })
  // A reopened ticket is people's, until an assistant gets it again.
  const freed = ticket.handled_by === 'assistant' ? { handled_by: null } : {}
  // Reopening clears the resolution, unless the change sets one.
  const resolution = patch.resolution === undefined && ticket.resolution ? { resolution: null } : {}
  return { is_closed, closed_at: null, ...resolution, ...freed }
}

const STAGE = Object.keys(ticketStage.entries) as (keyof typeof ticketStage.entries)[]
/** Columns whose former values are reported: all, but those that every change writes. */
const { version: _, updated_at: __, ...reported } = ticketColumns.entries
const REPORTED = Object.keys(reported) as (keyof typeof reported)[]

/** The former values of what the ticket's record shows of its contact, where they differ. */
function formerNames({ name, avatar }: Contact, { chat_user_name, chat_user_avatar }: TicketRecord) {
  return {
    ...((name ?? null) !== chat_user_name && { chat_user_name: name ?? null }),
    ...((avatar ?? null) !== chat_user_avatar && { chat_user_avatar: avatar ?? null }),
  }
}

/** The former values of the changed fields, in the format of the ticket's record. */
function changedFields(before: ActiveTicket, after: ActiveTicket, definitions: Definitions): Record<string, unknown> {
  const previous: Record<string, unknown> = {}
  for (const field of REPORTED) {
    if (!isDeepStrictEqual(before[field] ?? null, after[field] ?? null)) previous[field] = before[field] ?? null
  }
  if (STAGE.some((column) => (before[column] ?? null) !== (after[column] ?? null))) previous.stage = stageOf(before)
  if (!isDeepStrictEqual(before.tag_ids, after.tag_ids)) previous.tags = tagsOf(before.tag_ids, definitions)
  if ((before.assigned_to ?? null) !== (after.assigned_to ?? null)) {
    previous.assigned_to = assigneeOf(before.assigned_to, definitions)
  }
  if (handledBy(before) !== handledBy(after)) previous.handled_by = handledBy(before)
  return previous
}

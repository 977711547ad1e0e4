/**
 * `PATCH /v1/crm/tickets/{id}`: writes only the given fields, and runs no rules of stages.
 *
 * `null` clears a field. A resolution is stored whatever the state of the ticket, so that clients may set it before
 * they close.
 */
import { type ActiveTicket, readRows, Ticket } from '../../../storage/mod.ts'
import { MAX_TICKET_TAGS, type TicketPatch } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { checkCustomFields } from '../definitions/custom_fields.ts'
import type { Definitions } from '../definitions/definitions.ts'
import { definitionsOf } from '../definitions/reads.ts'
import { agentOf, type Command } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { auditedTicket } from './audited.ts'
import { changeTicket, recordOf } from './change_ticket.ts'
import { notifyAssignee } from './notify_assignee.ts'
import { ticketsOf, wantTickets } from './reads.ts'
import { mustHaveVersion } from './version.ts'

export type UpdateTicket = {
  type: 'update_ticket'
  id: string
  /** Accepted versions of the ticket; undefined for any. */
  if_match?: string[] | undefined
  patch: TicketPatch
}

type TagChange = Pick<TicketPatch, 'tag_ids' | 'add_tag_ids' | 'remove_tag_ids'>

/** @throws {Refusal} NOT_FOUND, PRECONDITION_FAILED, TAG_NOT_FOUND, ASSIGNEE_NOT_FOUND, VALIDATION_ERROR, TICKET_ALREADY_OPEN, EXTERNAL_ID_TAKEN */
export const updateTicket = {
  audit: auditedTicket,
  reads(reads, { id, patch: { external_id } }) {
    wantTickets(reads, id)
    if (external_id) reads.of(holderReads).add(external_id)
  },
  run(turn, { id, if_match, patch }, context) {
    const ticket = ticketsOf(turn).by_id.get(id)
    if (!ticket) throw refuse('NOT_FOUND')
    mustHaveVersion(ticket, if_match)
    const definitions = definitionsOf(turn)
    const { tag_ids, add_tag_ids, remove_tag_ids, ...fields } = patch
    const tags = tagsAfter(ticket, { tag_ids, add_tag_ids, remove_tag_ids }, definitions)
    mustBeAssignable(fields.assigned_to, ticket, definitions)
    if (fields.external_id) mustBeFree(turn, ticket, fields.external_id)
    if (fields.custom_fields) checkCustomFields('ticket', fields.custom_fields, definitions)
    const { is_closed: was_closed, assigned_to } = ticket
    const freed = isFreed(ticket, patch, definitions) && { assigned_to: null }
    const change = { ...freed, ...fields, ...(tags && { tag_ids: tags }) }
    const { changed } = changeTicket(turn, ticket, change, { user_id: agentOf(context) })
    notifyAssignee(turn, assigned_to, ticket, context)
    const just_closed = !was_closed && ticket.is_closed
    const reopened = was_closed && !ticket.is_closed
    const action = just_closed ? 'closed' : reopened ? 'reopened' : changed.length > 0 ? 'updated' : 'unchanged'
    return { body: { ticket: recordOf(turn, ticket), just_closed, action } as const }
  },
} satisfies Command<UpdateTicket>

/** Ids of the tickets that have these external ids. */
const holderReads: ReadKind<Set<string>, Map<string, string>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, ids, { database, state: { project_id } }) {
    const rows = await readRows(database, Ticket, { project_id, external_id: [...ids] })
    for (const { _id, external_id } of rows) found.set(external_id!, _id)
  },
}

/** Earlier messages of the turn may have given the id away, or taken it. A unique index decides if others do at the same time. */
function mustBeFree(turn: ProjectTurn, { _id }: ActiveTicket, external_id: string): void {
  const { by_id } = ticketsOf(turn)
  const stored = turn.records.of(holderReads).get(external_id)
  const holder = stored !== undefined && !by_id.has(stored) ? stored : holderAmong(by_id.values(), external_id)
  if (holder !== undefined && holder !== _id) throw refuse('EXTERNAL_ID_TAKEN', { id: holder })
}

function holderAmong(tickets: Iterable<ActiveTicket>, external_id: string): string | undefined {
  for (const ticket of tickets) if (ticket.external_id === external_id) return ticket._id
  return undefined
}

/** A ticket that is opened again after its assignee was deleted is assigned to nobody. */
function isFreed({ is_closed, assigned_to }: ActiveTicket, patch: TicketPatch, { users }: Definitions): boolean {
  return is_closed && patch.is_closed === false && Boolean(assigned_to) && !users.has(assigned_to!)
}

/** The present assignee may keep the ticket even when deactivated. */
function mustBeAssignable(
  assigned_to: string | null | undefined,
  ticket: ActiveTicket,
  { users }: Pick<Definitions, 'users'>,
): void {
  if (!assigned_to || assigned_to === ticket.assigned_to || users.get(assigned_to)?.is_active) return
  throw refuse('ASSIGNEE_NOT_FOUND', { assigned_to })
}

/**
 * The new tags of the ticket; undefined when they do not change. Any change also drops deleted tags, which are not
 * shown.
 * @throws {Refusal} TAG_NOT_FOUND, VALIDATION_ERROR
 */
function tagsAfter(
  ticket: ActiveTicket,
  { tag_ids, add_tag_ids = [], remove_tag_ids = [] }: TagChange,
  { tags }: Pick<Definitions, 'tags'>,
): string[] | undefined {
  const named = [...(tag_ids ?? []), ...add_tag_ids, ...remove_tag_ids]
  const unknown = named.filter((tag) => !tags.has(tag))
  if (unknown.length > 0) throw refuse('TAG_NOT_FOUND', { tag_ids: [...new Set(unknown)] })
  const known_tags = new Set(ticket.tag_ids.filter((tag) => tags.has(tag)))
  const after = new Set(tag_ids ?? known_tags)
  for (const tag of add_tag_ids) after.add(tag)
  for (const tag of remove_tag_ids) after.delete(tag)
  if (after.size > Math.max(MAX_TICKET_TAGS, known_tags.size)) {
    const message = `must leave the ticket with at most ${MAX_TICKET_TAGS} tags; it has ${known_tags.size}`
    const violations = [{ path: 'add_tag_ids', message, code: 'too_long' }]
    throw refuse('VALIDATION_ERROR', { violations }, `add_tag_ids ${message}`)
  }
  return after.symmetricDifference(known_tags).size === 0 ? undefined : [...after]
}

/** Changes the tickets of a slice, and counts them in the same commit. */
import { causeOf, Refusal } from '../../../runtime/mod.ts'
import {
  type ActiveTicket,
  BulkAction,
  BulkActionSlice,
  type BulkChange,
  type BulkRefusal,
  type NextSlice,
} from '../../../storage/mod.ts'
import { type ErrorCode, errorCatalogue } from '../../error_catalogue.ts'
import { wantDefinitions } from '../definitions/reads.ts'
import { snoozeTicket } from '../snoozes/feature.ts'
import { moveTicket } from '../tickets/move_ticket.ts'
import { ticketsOf, wantTickets } from '../tickets/reads.ts'
import { type UpdateTicket, updateTicket } from '../tickets/update_ticket.ts'
import type { CommandContext, ProjectContext, Receiver } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { endBulkAction, showBulkAction } from './progress.ts'
import { bulkActionReads } from './reads.ts'
import { fetchedBulkActions, fetchSlice } from './run_bulk_actions.ts'

/** The slice that was read last; only `id` when the action was over. */
type Slice = { id: string } & Partial<NextSlice>

/** Counted for tickets that are in no slice any more. */
const LOST = 'TICKETS_LOST'

/** Refusals that the record shows. All are counted. */
const MAX_SHOWN = 100

/** From the work of this actor: the next slice of an action. */
export const bulkActionSlice: Receiver<Slice> = {
  reads(reads, { id, ticket_ids }) {
    wantDefinitions(reads)
    reads.of(bulkActionReads).ids.add(id)
    for (const ticket_id of ticket_ids ?? []) wantTickets(reads, ticket_id)
  },
  receive(turn, { id, done, first = null, ticket_ids, is_agent = false }, context) {
    fetchedBulkActions.of(turn.state).delete(id)
    const row = turn.records.of(bulkActionReads).by_id.get(id)
    if (row?.status !== 'running') return
    turn.cause = causeOf(row)
    // Otherwise this actor was elsewhere meanwhile.
    if (done === row.done_count) {
      if (is_agent) {
        lose(row, (first ?? row.total) - done)
        if (ticket_ids) changeAll(turn, row, ticket_ids, context)
        row.updated_at = turn.now
        if (row.done_count === row.total) endBulkAction(turn, row, 'all_done')
      } else endBulkAction(turn, row, 'cancelled')
      if (first !== null) turn.remove(BulkActionSlice, { bulk_action_id: id, first })
      const {
        id: _,
        company_id,
        project_id,
        user_id,
        filter,
        action,
        total,
        created_at,
        request_id,
        traceparent,
        ...progress
      } = row
      turn.update(BulkAction, { id }, progress)
      showBulkAction(turn, row)
    }
    if (row.status === 'running') fetchSlice(turn, id, context)
  },
}

/** Counts tickets whose slices are gone: without them the action could not end. */
function lose(row: BulkAction, count: number): void {
  if (count === 0) return
  row.done_count += count
  row.refused_count += count
  row.refused_by_code = { ...row.refused_by_code, [LOST]: (row.refused_by_code[LOST] ?? 0) + count }
}

function changeAll(turn: ProjectTurn, row: BulkAction, ticket_ids: readonly string[], context: ProjectContext): void {
  const { by_id } = ticketsOf(turn)
  const refused_by_code = { ...row.refused_by_code }
  const refusals = [...row.refusals]
  for (const ticket_id of ticket_ids) {
    const ticket = by_id.get(ticket_id)
    const before = ticket && stateOf(ticket)
    const refusal = change(turn, row, ticket, ticket_id, context)
    if (!refusal) row[stateOf(ticket!) === before ? 'unchanged_count' : 'changed_count']++
    else {
      row.refused_count++
      refused_by_code[refusal.code] = (refused_by_code[refusal.code] ?? 0) + 1
      // The id of a ticket that is gone may be that of an erased one.
      if (ticket && refusals.length < MAX_SHOWN) refusals.push(refusal)
    }
  }
  Object.assign(row, { refused_by_code, refusals })
  row.done_count += ticket_ids.length
}

/** Fields that an action can change. */
function stateOf({ version, snoozed_at, snoozed_until }: ActiveTicket): string {
  return [version, snoozed_at?.getTime(), snoozed_until?.getTime()].join()
}

/** Returns the reason why the ticket stays as it is. */
function change(
  turn: ProjectTurn,
  { action, user_id }: BulkAction,
  ticket: ActiveTicket | undefined,
  id: string,
  services: ProjectContext,
): BulkRefusal | undefined {
  const context: CommandContext = { ...services, token_id: '', user_id, is_bulk: true }
  try {
    if (action.type === 'move')
      moveTicket.run(turn, { type: 'move_ticket', id, stage_id: action.stage_id, texts: {} }, context)
    else if (action.type === 'snooze')
      snoozeTicket.run(turn, { type: 'snooze_ticket', id, until: action.until }, context)
    else updateTicket.run(turn, { type: 'update_ticket', id, patch: patchOf(action, ticket) }, context)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, text, details = null } = error
    return { ticket_id: id, code, message: text ?? errorCatalogue[code as ErrorCode].message, details }
  }
}

function patchOf(
  action: Exclude<BulkChange, { type: 'move' | 'snooze' }>,
  ticket: ActiveTicket | undefined,
): UpdateTicket['patch'] {
  switch (action.type) {
    case 'assign':
      return { assigned_to: action.assigned_to }
    case 'close':
      // A ticket that is closed keeps its resolution.
      if (ticket?.is_closed) return {}
      return { is_closed: true, ...(action.resolution !== undefined && { resolution: action.resolution }) }
    case 'reopen':
      return { is_closed: false }
    case 'tag':
      return { add_tag_ids: action.add_tag_ids, remove_tag_ids: action.remove_tag_ids }
    case 'prioritize':
      return { priority: action.priority }
  }
}

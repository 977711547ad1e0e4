import { causeColumns } from '../../../runtime/mod.ts'
import { BulkAction, type BulkChange } from '../../../storage/mod.ts'
import { toBulkActionRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { definitionsOf, wantDefinitions } from '../definitions/reads.ts'
import type { Audited } from '../turn/audit.ts'
import type { Change } from '../turn/feature.ts'
import { mustBeAhead } from '../turn/future.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { maxRunningBulkActions } from './bounds.ts'
import { endBulkAction, showBulkAction } from './progress.ts'
import { bulkActionReads } from './reads.ts'
import { runSoon } from './run_bulk_actions.ts'

/** An action whose tickets are stored in slices. Applying it again changes nothing. */
export type BeginBulkAction = { type: 'begin_bulk_action' } & Pick<
  BulkAction,
  'id' | 'user_id' | 'filter' | 'action' | 'total'
>

export const auditedBulkAction: Audited<{ type: string }> = {
  target: 'bulk_action',
  record(turn, id) {
    const row = turn.records.of(bulkActionReads).by_id.get(id)
    return row && { ...toBulkActionRecord(row), updated_at: null }
  },
}

/**
 * Begins an action. Returns its record.
 * @throws {Refusal} STAGE_NOT_FOUND, TAG_NOT_FOUND, ASSIGNEE_NOT_FOUND, VALIDATION_ERROR, BULK_ACTIONS_RUNNING
 */
export const beginBulkAction: Change<BeginBulkAction> = {
  audit: auditedBulkAction,
  reads(reads, { id }) {
    wantDefinitions(reads)
    const keys = reads.of(bulkActionReads)
    keys.ids.add(id)
    keys.running = true
  },
  apply(turn, { type: _, ...fields }) {
    const { by_id } = turn.records.of(bulkActionReads)
    const known = by_id.get(fields.id)
    if (known) return toBulkActionRecord(known)
    mustBeDefined(turn, fields.action)
    const running = [...by_id.values()].filter(({ status }) => status === 'running')
    if (running.length >= maxRunningBulkActions) throw refuse('BULK_ACTIONS_RUNNING', { running: running.length })
    const { company_id, project_id } = turn.state
    const counts = { done_count: 0, changed_count: 0, unchanged_count: 0, refused_count: 0 }
    const times = { created_at: turn.now, completed_at: null, updated_at: turn.now }
    const begun = { status: 'running' as const, ...counts, refused_by_code: {}, refusals: [] }
    const row: BulkAction = { ...fields, company_id, project_id, ...begun, ...times, ...causeColumns(turn.cause) }
    if (row.total === 0) endBulkAction(turn, row, 'all_done')
    else runSoon(turn)
    turn.insert(BulkAction, row)
    by_id.set(row.id, row)
    showBulkAction(turn, row)
    return toBulkActionRecord(row)
  },
}

/** Refuses at once a change that no ticket could take. */
function mustBeDefined(turn: ProjectTurn, action: BulkChange): void {
  const { stages, tags, users } = definitionsOf(turn)
  if (action.type === 'move' && !stages.has(action.stage_id)) {
    throw refuse('STAGE_NOT_FOUND', { stage_id: action.stage_id })
  }
  if (action.type === 'assign' && action.assigned_to !== null && !users.get(action.assigned_to)?.is_active) {
    throw refuse('ASSIGNEE_NOT_FOUND', { assigned_to: action.assigned_to })
  }
  if (action.type === 'snooze' && action.until !== null) mustBeAhead('action.until', action.until, turn.now)
  if (action.type !== 'tag') return
  const unknown = [...action.add_tag_ids, ...action.remove_tag_ids].filter((id) => !tags.has(id))
  if (unknown.length > 0) throw refuse('TAG_NOT_FOUND', { tag_ids: [...new Set(unknown)] })
}

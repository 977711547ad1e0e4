/** The progress of a bulk action as agents see it. */
import type { BulkAction } from '../../../storage/mod.ts'
import { type BulkActionEvent, nextBulkActionStatus } from '../../machines/mod.ts'
import { toBulkActionRecord } from '../../records/mod.ts'
import { Memory } from '../turn/memory.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { notifyOfBulkAction } from './notify.ts'

/** Milliseconds between two reports of an action that goes on. */
const SHOWN_MS = 200

/** When each running action was shown last, as of the turn's time. */
const published_counts = new Memory<Map<string, number>>(() => new Map())

/** Publishes the record: at once when the action begins or ends, else a few times a second. */
export function showBulkAction(turn: ProjectTurn, row: BulkAction): void {
  const last = published_counts.of(turn.state)
  const now = turn.now.getTime()
  const is_over = row.status !== 'running'
  if (!is_over && now - (last.get(row.id) ?? 0) < SHOWN_MS) return
  if (is_over) last.delete(row.id)
  else last.set(row.id, now)
  const data = toBulkActionRecord(row)
  turn.live(row.project_id, () => ({ type: 'bulk_action.progress', data }))
}

/** Ends the action in its record, and notifies of it; the caller writes the record. The turn must have the definitions. */
export function endBulkAction(turn: ProjectTurn, row: BulkAction, event: BulkActionEvent): void {
  row.status = nextBulkActionStatus(row.status, event)
  row.completed_at = turn.now
  row.updated_at = turn.now
  if (row.total > 0) notifyOfBulkAction(turn, row)
}

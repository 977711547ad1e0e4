import type { BulkAction } from '../../../storage/mod.ts'
import { notify } from '../notifications/notify.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Notifies the agent of a completed action, and the agent to whom an action has assigned tickets of all of them together. */
export function notifyOfBulkAction(turn: ProjectTurn, row: BulkAction): void {
  const { id: bulk_action_id, user_id, status, action, changed_count, refused_count } = row
  if (status === 'completed') {
    const data = { bulk_action_id, action: action.type, changed_count, refused_count }
    notify(turn, user_id, { type: 'bulk_action_completed', created_by: null, data })
  }
  if (action.type !== 'assign' || !action.assigned_to || action.assigned_to === user_id || changed_count === 0) return
  const data = { bulk_action_id, count: changed_count }
  notify(turn, action.assigned_to, { type: 'bulk_assignment', created_by: user_id, data })
}

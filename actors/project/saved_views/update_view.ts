import { SavedView } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import { tellOwned } from '../turn/owned_record.ts'
import type { CreateView } from './create_view.ts'
import { auditedSavedView, mustHaveRoom, savedViewOf, savedViewRecord, toldSavedView, wantSavedViews } from './reads.ts'

export type UpdateView = {
  type: 'update_view'
  id: string
  /** The agent. */
  user_id: string
  patch: Partial<CreateView['fields']>
}

/**
 * Changes the given fields; the filter is replaced as a whole. A view that ceases to be shared belongs to the agent from
 * then on.
 * @throws {Refusal} NOT_FOUND, VIEW_LIMIT_REACHED
 */
export const updateView: Command<UpdateView> = {
  audit: auditedSavedView,
  reads: (reads, { user_id }) => wantSavedViews(reads, user_id),
  run(turn, { id, user_id, patch: { is_shared, ...fields } }) {
    const row = savedViewOf(turn, id, user_id)
    if (!row) throw refuse('NOT_FOUND')
    const before = { ...row }
    const owner_id = is_shared === undefined ? (row.owner_id ?? null) : is_shared ? null : user_id
    mustHaveRoom(turn, { _id: id, owner_id })
    const changed = { ...fields, owner_id, updated_at: turn.now }
    Object.assign(row, changed)
    turn.update(SavedView, { _id: id }, changed)
    tellOwned(turn, toldSavedView(turn), before, row)
    return { body: savedViewRecord(turn, row) }
  },
}

import { SavedView } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import { tellOwned } from '../turn/owned_record.ts'
import { auditedSavedView, savedViewOf, savedViewReads, toldSavedView, wantSavedViews } from './reads.ts'

export type DeleteView = { type: 'delete_view'; id: string; user_id: string }

/** @throws {Refusal} NOT_FOUND */
export const deleteView: Command<DeleteView> = {
  audit: auditedSavedView,
  reads: (reads, { user_id }) => wantSavedViews(reads, user_id),
  run(turn, { id, user_id }) {
    const row = savedViewOf(turn, id, user_id)
    if (!row) throw refuse('NOT_FOUND')
    turn.remove(SavedView, { _id: id })
    turn.records.of(savedViewReads).delete(id)
    tellOwned(turn, toldSavedView(turn), row, undefined)
    return {}
  },
}

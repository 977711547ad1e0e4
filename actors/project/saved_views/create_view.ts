import { objectId, SavedView, type ViewFilter } from '../../../storage/mod.ts'
import type { Command } from '../turn/feature.ts'
import { isVisible, tellOwned } from '../turn/owned_record.ts'
import {
  auditedSavedView,
  mustHaveRoom,
  savedViewReads,
  savedViewRecord,
  toldSavedView,
  wantSavedViews,
} from './reads.ts'

/** The last place in a list. */
export const LAST_POSITION = 1_000_000

export type CreateView = {
  type: 'create_view'
  /** The agent. */
  user_id: string
  /** Without a position it is the last one that the agent sees. */
  fields: { name: string; filter: ViewFilter; is_shared: boolean; position?: number | undefined }
}

/** @throws {Refusal} VIEW_LIMIT_REACHED */
export const createView: Command<CreateView> = {
  audit: auditedSavedView,
  reads: (reads, { user_id }) => wantSavedViews(reads, user_id),
  run(turn, { user_id, fields: { name, filter, is_shared, position } }) {
    const views = turn.records.of(savedViewReads)
    const seen = [...views.values()].filter((row) => isVisible(row, user_id))
    const last = Math.min(LAST_POSITION, Math.max(0, ...seen.map((row) => row.position)) + 1)
    const { company_id, project_id } = turn.state
    const owned = { _id: objectId(), company_id, project_id, owner_id: is_shared ? null : user_id }
    const times = { created_at: turn.now, updated_at: turn.now }
    const row: SavedView = { ...owned, name, filter, position: position ?? last, created_by: user_id, ...times }
    mustHaveRoom(turn, row)
    turn.insert(SavedView, row)
    views.set(row._id, row)
    tellOwned(turn, toldSavedView(turn), undefined, row)
    return { body: savedViewRecord(turn, row) }
  },
}

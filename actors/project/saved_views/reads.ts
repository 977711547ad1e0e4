import { readSavedViews, type SavedView, toSavedViewRecord } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import { definitionsOf, wantDefinitions } from '../definitions/reads.ts'
import type { Audited } from '../turn/audit.ts'
import { isVisible, type Told } from '../turn/owned_record.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Views of one owner, and shared views of one project. */
const MAX = 50

/** The shared views and those of the wanted users, by id. */
export const savedViewReads: ReadKind<Set<string>, Map<string, SavedView>> = {
  wanted: () => new Set(),
  found: () => new Map(),
  async read(found, user_ids, { database, state: { project_id } }) {
    for (const row of await readSavedViews(database, project_id, [...user_ids])) found.set(row._id, row)
  },
}

export function wantSavedViews(reads: Reads, user_id: string): void {
  wantDefinitions(reads)
  reads.of(savedViewReads).add(user_id)
}

/** The view, if the agent sees it. */
export function savedViewOf(turn: ProjectTurn, id: string, user_id: string): SavedView | undefined {
  const row = turn.records.of(savedViewReads).get(id)
  return row && isVisible(row, user_id) ? row : undefined
}

/** @throws {Refusal} VIEW_LIMIT_REACHED when the owner has as many others as there can be */
export function mustHaveRoom(turn: ProjectTurn, { _id, owner_id = null }: Pick<SavedView, '_id' | 'owner_id'>): void {
  const all = [...turn.records.of(savedViewReads).values()]
  const others = all.filter((other) => (other.owner_id ?? null) === owner_id && other._id !== _id)
  if (others.length >= MAX) throw refuse('VIEW_LIMIT_REACHED', { limit: MAX })
}

/** The record as the console shows it. */
export function savedViewRecord(turn: ProjectTurn, row: SavedView) {
  return toSavedViewRecord(row, definitionsOf(turn).users.get(row.created_by ?? '')?.full_name)
}

export const toldSavedView = (turn: ProjectTurn): Told<SavedView> => ({
  type: 'view.changed',
  name: 'view',
  show: (row) => savedViewRecord(turn, row),
})

export const auditedSavedView: Audited<{ type: string }> = {
  target: 'saved_view',
  record(turn, id) {
    const row = turn.records.of(savedViewReads).get(id)
    return row && { ...savedViewRecord(turn, row), updated_at: null }
  },
}

/** Saved views: filters of the inbox with a name. */

import { objectId, readSavedViews, SavedView, type ViewFilter } from '../../../storage/mod.ts'
import { toSavedViewRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { definitionsOf, wantDefinitions } from '../definitions/reads.ts'
import type { Audited } from '../turn/audit.ts'
import type { Command, Feature } from '../turn/feature.ts'
import { isVisible, type OwnedRecordNotice, tellOwned } from '../turn/owned_record.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Views of one owner, and shared views of one project. */
const MAX = 50

/** The shared views and those of the wanted users, by id. */
const savedViewReads: ReadKind<Set<string>, Map<string, SavedView>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, user_ids, { database, state: { project_id } }) {
    for (const row of await readSavedViews(database, project_id, [...user_ids])) found.set(row._id, row)
  },
}

function wantSavedViews(reads: Reads, user_id: string): void {
  wantDefinitions(reads)
  reads.of(savedViewReads).add(user_id)
}

/** The view, if the agent sees it. */
function savedViewOf(turn: ProjectTurn, id: string, user_id: string): SavedView | undefined {
  const row = turn.records.of(savedViewReads).get(id)
  return row && isVisible(row, user_id) ? row : undefined
}

/** @throws {Refusal} VIEW_LIMIT_REACHED when the owner has as many others as there can be */
function mustHaveRoom(turn: ProjectTurn, { _id, owner_id = null }: Pick<SavedView, '_id' | 'owner_id'>): void {
  const all = [...turn.records.of(savedViewReads).values()]
  const others = all.filter((other) => (other.owner_id ?? null) === owner_id && other._id !== _id)
  if (others.length >= MAX) throw refuse('VIEW_LIMIT_REACHED', { limit: MAX })
}

/** The record as the console shows it. */
function savedViewRecord(turn: ProjectTurn, row: SavedView) {
  const author = definitionsOf(turn).users.get(row.created_by ?? '')
  return toSavedViewRecord({ ...row, full_name: author?.full_name ?? null })
}

const savedViewNotice = (turn: ProjectTurn): OwnedRecordNotice<SavedView> => ({
  type: 'view.changed',
  name: 'view',
  show: (row) => savedViewRecord(turn, row),
})

const auditedSavedView: Audited<{ type: string }> = {
  target: 'saved_view',
  record(turn, id) {
    const row = turn.records.of(savedViewReads).get(id)
    return row && { ...savedViewRecord(turn, row), updated_at: null }
  },
}

/** The last place in a list. */
export const LAST_POSITION = 1_000_000

type CreateView = {
  type: 'create_view'
  /** The agent. */
  user_id: string
  /** Without a position it is the last one that the agent sees. */
  fields: { name: string; filter: ViewFilter; is_shared: boolean; position?: number | undefined }
}

/** @throws {Refusal} VIEW_LIMIT_REACHED */
const createView = {
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
    tellOwned(turn, savedViewNotice(turn), undefined, row)
    return { body: savedViewRecord(turn, row) }
  },
} satisfies Command<CreateView>

type DeleteView = { type: 'delete_view'; id: string; user_id: string }

/** @throws {Refusal} NOT_FOUND */
const deleteView = {
  audit: auditedSavedView,
  reads: (reads, { user_id }) => wantSavedViews(reads, user_id),
  run(turn, { id, user_id }) {
    const row = savedViewOf(turn, id, user_id)
    if (!row) throw refuse('NOT_FOUND')
    turn.remove(SavedView, { _id: id })
    turn.records.of(savedViewReads).delete(id)
    tellOwned(turn, savedViewNotice(turn), row, undefined)
    return {}
  },
} satisfies Command<DeleteView>

type UpdateView = {
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
const updateView = {
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
    tellOwned(turn, savedViewNotice(turn), before, row)
    return { body: savedViewRecord(turn, row) }
  },
} satisfies Command<UpdateView>

export const savedViews = {
  commands: { create_view: createView, update_view: updateView, delete_view: deleteView },
} satisfies Feature

/** Canned responses: texts that agents insert by a shortcut. */

import { CannedResponse, objectId, readRows, readShortcuts } from '../../../storage/mod.ts'
import { toCannedResponseRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { definitionsOf, wantDefinitions } from '../definitions/reads.ts'
import type { Audited } from '../turn/audit.ts'
import type { Command, Feature } from '../turn/feature.ts'
import { isVisible, type OwnedRecordNotice, tellOwned } from '../turn/owned_record.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'

type Shortcut = Pick<CannedResponse, '_id' | 'owner_id' | 'shortcut'>

type Keys = { ids: Set<string>; users: Set<string> }
/** `shortcuts`: of all that are shared or belong to a wanted user, by id. */
type Found = { by_id: Map<string, CannedResponse>; shortcuts: Map<string, Shortcut> }

const cannedResponseReads: ReadKind<Keys, Found> = {
  keys: () => ({ ids: new Set(), users: new Set() }),
  found: () => ({ by_id: new Map(), shortcuts: new Map() }),
  async read(found, { ids, users }, { database, state: { project_id } }) {
    const [rows, shortcuts] = await Promise.all([
      ids.size > 0 ? readRows(database, CannedResponse, { _id: [...ids], project_id }) : [],
      readShortcuts(database, project_id, [...users]),
    ])
    for (const row of rows) found.by_id.set(row._id, row)
    for (const row of shortcuts) found.shortcuts.set(row._id, row)
  },
}

function wantCannedResponses(reads: Reads, user_id: string | null, id?: string): void {
  wantDefinitions(reads)
  const { ids, users } = reads.of(cannedResponseReads)
  if (user_id !== null) users.add(user_id)
  if (id !== undefined) ids.add(id)
}

/** The canned response, if the agent sees it. */
function cannedResponseOf(turn: ProjectTurn, id: string, user_id: string | null): CannedResponse | undefined {
  const row = turn.records.of(cannedResponseReads).by_id.get(id)
  return row && isVisible(row, user_id) ? row : undefined
}

/** The record as the console shows it. */
function cannedResponseRecord(turn: ProjectTurn, row: CannedResponse) {
  const author = definitionsOf(turn).users.get(row.created_by ?? '')
  return toCannedResponseRecord({ ...row, full_name: author?.full_name ?? null })
}

const cannedResponseNotice = (turn: ProjectTurn): OwnedRecordNotice<CannedResponse> => ({
  type: 'canned_response.changed',
  name: 'canned_response',
  show: (row) => cannedResponseRecord(turn, row),
})

const auditedCannedResponse: Audited<{ type: string }> = {
  target: 'canned_response',
  record(turn, id) {
    const row = turn.records.of(cannedResponseReads).by_id.get(id)
    return row && { ...cannedResponseRecord(turn, row), updated_at: null }
  },
}

const MAX_SHARED = 1000
const MAX_OWN = 200

/**
 * The place of a canned response among those of its owner, or the shared ones.
 *
 * @throws {Refusal} SHORTCUT_ALREADY_EXISTS, CANNED_RESPONSE_LIMIT_REACHED
 */
function mustFit(turn: ProjectTurn, { _id, owner_id = null, shortcut }: CannedResponse): void {
  const others = [...turn.records.of(cannedResponseReads).shortcuts.values()].filter(
    (other) => (other.owner_id ?? null) === owner_id && other._id !== _id,
  )
  const same = others.find((other) => other.shortcut === shortcut)
  if (same) throw refuse('SHORTCUT_ALREADY_EXISTS', { canned_response_id: same._id })
  const limit = owner_id === null ? MAX_SHARED : MAX_OWN
  if (others.length >= limit) throw refuse('CANNED_RESPONSE_LIMIT_REACHED', { limit })
}

type CreateCannedResponse = {
  type: 'create_canned_response'
  /** The agent; null for an operator, who creates shared ones. */
  user_id: string | null
  fields: { shortcut: string; title: string | null; content: string; is_shared: boolean }
}

/** @throws {Refusal} SHORTCUT_ALREADY_EXISTS, CANNED_RESPONSE_LIMIT_REACHED */
const createCannedResponse = {
  audit: auditedCannedResponse,
  reads: (reads, { user_id }) => wantCannedResponses(reads, user_id),
  run(turn, { user_id, fields: { is_shared, ...fields } }) {
    const { company_id, project_id } = turn.state
    const owner_id = is_shared ? null : user_id
    const times = { created_at: turn.now, updated_at: turn.now }
    const owned = { _id: objectId(), company_id, project_id, owner_id }
    const row: CannedResponse = { ...owned, ...fields, created_by: user_id, ...times }
    mustFit(turn, row)
    turn.insert(CannedResponse, row)
    const { by_id, shortcuts } = turn.records.of(cannedResponseReads)
    by_id.set(row._id, row)
    shortcuts.set(row._id, row)
    tellOwned(turn, cannedResponseNotice(turn), undefined, row)
    return { body: cannedResponseRecord(turn, row) }
  },
} satisfies Command<CreateCannedResponse>

type DeleteCannedResponse = {
  type: 'delete_canned_response'
  id: string
  /** The agent; null for an operator, who sees shared ones. */
  user_id: string | null
}

/** @throws {Refusal} NOT_FOUND */
const deleteCannedResponse = {
  audit: auditedCannedResponse,
  reads: (reads, { id, user_id }) => wantCannedResponses(reads, user_id, id),
  run(turn, { id, user_id }) {
    const row = cannedResponseOf(turn, id, user_id)
    if (!row) throw refuse('NOT_FOUND')
    turn.remove(CannedResponse, { _id: id })
    const { by_id, shortcuts } = turn.records.of(cannedResponseReads)
    by_id.delete(id)
    shortcuts.delete(id)
    tellOwned(turn, cannedResponseNotice(turn), row, undefined)
    return {}
  },
} satisfies Command<DeleteCannedResponse>

type UpdateCannedResponse = {
  type: 'update_canned_response'
  id: string
  /** The agent; null for an operator, who sees shared ones. */
  user_id: string | null
  patch: Partial<CreateCannedResponse['fields']>
}

/**
 * Changes the given fields. One that ceases to be shared belongs to the agent from then on.
 * @throws {Refusal} NOT_FOUND, SHORTCUT_ALREADY_EXISTS, CANNED_RESPONSE_LIMIT_REACHED
 */
const updateCannedResponse = {
  audit: auditedCannedResponse,
  reads: (reads, { id, user_id }) => wantCannedResponses(reads, user_id, id),
  run(turn, { id, user_id, patch: { is_shared, ...fields } }) {
    const row = cannedResponseOf(turn, id, user_id)
    if (!row) throw refuse('NOT_FOUND')
    const before = { ...row }
    const owner_id = is_shared === undefined ? (row.owner_id ?? null) : is_shared ? null : user_id
    const changed = { ...fields, owner_id, updated_at: turn.now }
    mustFit(turn, { ...row, ...changed })
    Object.assign(row, changed)
    turn.update(CannedResponse, { _id: id }, changed)
    turn.records.of(cannedResponseReads).shortcuts.set(id, row)
    tellOwned(turn, cannedResponseNotice(turn), before, row)
    return { body: cannedResponseRecord(turn, row) }
  },
} satisfies Command<UpdateCannedResponse>

export const cannedResponses = {
  commands: {
    create_canned_response: createCannedResponse,
    update_canned_response: updateCannedResponse,
    delete_canned_response: deleteCannedResponse,
  },
} satisfies Feature

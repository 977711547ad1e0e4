import { CannedResponse, readRows, readShortcuts, toCannedResponseRecord } from '../../../storage/mod.ts'
import { definitionsOf, wantDefinitions } from '../definitions/reads.ts'
import type { Audited } from '../turn/audit.ts'
import { isVisible, type Told } from '../turn/owned_record.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'

type Shortcut = Pick<CannedResponse, '_id' | 'owner_id' | 'shortcut'>

type Wanted = { ids: Set<string>; users: Set<string> }
/** `shortcuts`: of all that are shared or belong to a wanted user, by id. */
type Found = { by_id: Map<string, CannedResponse>; shortcuts: Map<string, Shortcut> }

export const cannedResponseReads: ReadKind<Wanted, Found> = {
  wanted: () => ({ ids: new Set(), users: new Set() }),
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

export function wantCannedResponses(reads: Reads, user_id: string | null, id?: string): void {
  wantDefinitions(reads)
  const { ids, users } = reads.of(cannedResponseReads)
  if (user_id !== null) users.add(user_id)
  if (id !== undefined) ids.add(id)
}

/** The canned response, if the agent sees it. */
export function cannedResponseOf(turn: ProjectTurn, id: string, user_id: string | null): CannedResponse | undefined {
  const row = turn.records.of(cannedResponseReads).by_id.get(id)
  return row && isVisible(row, user_id) ? row : undefined
}

/** The record as the console shows it. */
export function cannedResponseRecord(turn: ProjectTurn, row: CannedResponse) {
  return toCannedResponseRecord(row, definitionsOf(turn).users.get(row.created_by ?? '')?.full_name)
}

export const toldCannedResponse = (turn: ProjectTurn): Told<CannedResponse> => ({
  type: 'canned_response.changed',
  name: 'canned_response',
  show: (row) => cannedResponseRecord(turn, row),
})

export const auditedCannedResponse: Audited<{ type: string }> = {
  target: 'canned_response',
  record(turn, id) {
    const row = turn.records.of(cannedResponseReads).by_id.get(id)
    return row && { ...cannedResponseRecord(turn, row), updated_at: null }
  },
}

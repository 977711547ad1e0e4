import { HistoryImport, HistoryPart, readRows, readWaitingImports } from '../../../storage/mod.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'

type Keys = {
  /** Channels whose present import is wanted. */
  channel_ids: Set<string>
  ids: Set<string>
  /** All of the project with parts that wait. */
  waiting: boolean
  part_ids: Set<string>
}

type Found = {
  by_id: Map<string, HistoryImport>
  /** The parts that are still there. */
  part_ids: Set<string>
}

export const historyReads: ReadKind<Keys, Found> = {
  keys: () => ({ channel_ids: new Set(), ids: new Set(), waiting: false, part_ids: new Set() }),
  found: () => ({ by_id: new Map(), part_ids: new Set() }),
  async read(found, { channel_ids, ids, waiting, part_ids }, { database, state: { project_id } }) {
    const wheres = [
      ...(channel_ids.size > 0 ? [{ project_id, channel_id: [...channel_ids], ended_at: null }] : []),
      ...(ids.size > 0 ? [{ project_id, _id: [...ids] }] : []),
    ]
    const [rows, all, parts] = await Promise.all([
      wheres.length > 0 ? readRows(database, HistoryImport, ...wheres) : [],
      waiting ? readWaitingImports(database, project_id) : [],
      part_ids.size > 0 ? readRows(database, HistoryPart, { _id: [...part_ids] }) : [],
    ])
    for (const row of [...rows, ...all]) if (!found.by_id.has(row._id)) found.by_id.set(row._id, row)
    for (const { _id } of parts) found.part_ids.add(_id)
  },
}

/** The import of the channel's present pairing. */
export function presentImport({ records }: ProjectTurn, channel_id: string): HistoryImport | undefined {
  const rows = [...records.of(historyReads).by_id.values()]
  return rows.find((row) => row.channel_id === channel_id && !row.ended_at)
}

/** Writes changes of an import. */
export function changeImport(turn: ProjectTurn, row: HistoryImport, changes: Partial<HistoryImport>): void {
  const patch = { ...changes, updated_at: turn.now }
  Object.assign(row, patch)
  turn.update(HistoryImport, { _id: row._id }, patch)
}

/** The end of an import of which all has come and is stored. */
export function completionOf(
  { status, progress, waiting_count }: HistoryImport,
  completed_at: Date,
): Partial<HistoryImport> {
  return status === 'running' && progress === 100 && waiting_count === 0 ? { status: 'completed', completed_at } : {}
}

/** Adds an import to the turn. */
export function storeImport(
  turn: ProjectTurn,
  fields: Pick<HistoryImport, '_id' | 'channel_id' | 'status' | 'webhooks' | 'requested_at'>,
): HistoryImport {
  const { company_id, project_id } = turn.state
  const none = { progress: 0, waiting_count: 0, message_count: 0, known_count: 0, unreadable_count: 0, name_count: 0 }
  const empty = { phase: null, error: null, completed_at: null, ended_at: null }
  const row: HistoryImport = {
    ...fields,
    ...none,
    ...empty,
    company_id,
    project_id,
    created_at: turn.now,
    updated_at: turn.now,
  }
  turn.insert(HistoryImport, row)
  turn.records.of(historyReads).by_id.set(row._id, row)
  return row
}

/** The pairings of these channels have ended: the next ones have histories of their own. */
export function endPairings(turn: ProjectTurn, channel_ids: readonly string[]): void {
  for (const channel_id of channel_ids) {
    const row = presentImport(turn, channel_id)
    if (row) changeImport(turn, row, { ended_at: turn.now })
  }
}

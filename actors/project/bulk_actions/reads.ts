import { BulkAction, readRows, readRunningBulkActions } from '../../../storage/mod.ts'
import type { ReadKind } from '../turn/records.ts'

type Keys = { ids: Set<string>; running: boolean }

export type BulkActionRecords = { by_id: Map<string, BulkAction> }

/** Bulk actions by id, and all that are running. */
export const bulkActionReads: ReadKind<Keys, BulkActionRecords> = {
  keys: () => ({ ids: new Set(), running: false }),
  found: () => ({ by_id: new Map() }),
  async read(found, { ids, running }, { database, state: { project_id } }) {
    const [named, all] = await Promise.all([
      ids.size > 0 ? readRows(database, BulkAction, { id: [...ids], project_id }) : [],
      running ? readRunningBulkActions(database, project_id) : [],
    ])
    for (const row of [...named, ...all]) if (!found.by_id.has(row.id)) found.by_id.set(row.id, row)
  },
}

import { Customer, readRows } from '../../../storage/mod.ts'
import type { ReadKind } from '../turn/records.ts'

/** The ids among these that belong to customers of the company. */
export const customerReads: ReadKind<Set<string>, Set<string>> = {
  keys: () => new Set(),
  found: () => new Set(),
  async read(found, ids, { database, state: { company_id } }) {
    for (const row of await readRows(database, Customer, { company_id, _id: [...ids] })) found.add(row._id)
  },
}

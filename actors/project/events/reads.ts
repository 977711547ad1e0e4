import { batched, CrmEvent, readRows } from '../../../storage/mod.ts'
import type { ReadKind } from '../turn/records.ts'

/** Events by idempotency key. */
export const eventReads: ReadKind<Set<string>, Map<string, CrmEvent>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, keys, { database, state: { company_id } }) {
    for (const event of await readEvents(database, { company_id, keys })) found.set(event.idempotency_key!, event)
  },
}

const readEvents = batched(async (database, wants: { company_id: string; keys: Set<string> }[]) => {
  const where = wants.map(({ company_id, keys }) => ({ company_id, idempotency_key: [...keys] }))
  const rows = Map.groupBy(await readRows(database, CrmEvent, ...where), ({ company_id }) => company_id)
  return wants.map(
    ({ company_id, keys }) => rows.get(company_id)?.filter((row) => keys.has(row.idempotency_key!)) ?? [],
  )
})

import { type Database, joined } from '../../storage/mod.ts'
import type { RequestContext } from '../server/route/route.ts'

/**
 * Stores a record by a named transaction. Under an idempotency key, its answer for repeats is part of that transaction.
 *
 * @param store gets the handle to store with
 * @param show the answer, as far as it is known when the record is stored
 * @throws as `store`; {Refusal} IDEMPOTENCY_IN_PROGRESS when another request took the key over
 */
export async function once<Row>(
  { database, key }: Pick<RequestContext, 'database' | 'key'>,
  store: (database: Database) => Promise<Row>,
  show: (row: Row) => unknown,
): Promise<Row> {
  if (!key) return store(database)
  return joined(database, async (joined) => {
    const row = await store(joined)
    await key.keep(joined, show(row))
    return row
  })
}

import { batched } from '../../database/batcher.ts'
import type { Database } from '../../database/database.ts'
import type { OperatorRole } from '../../entities/mod.ts'
import { sql } from '../../sql/sql.ts'

/** An operator: the bearer of a key. `id` is null for the key of the settings. */
export type Operator = { id: string | null; name: string; role: OperatorRole }

/** Uses within this time are not recorded one by one. */
const FRESH = sql`interval '1 minute'`

type FoundOperator = Operator & { id: string; is_fresh: boolean }

/**
 * The operator with this SHA-256 (hex) of a key, unless the key is revoked. Each request asks, so a revocation holds for
 * the next request to any node; requests of the same moment share a query that begins after them, so that many made-up
 * keys cost little. `is_fresh`: the use needs no record.
 */
export const findOperator = batched(
  async (database: Database, hashes: string[]): Promise<(FoundOperator | undefined)[]> => {
    const rows = await database.execute<FoundOperator & { hash: string }>(
      sql`select hash, _id as id, name, role, coalesce(last_used_at > now() - ${FRESH}, false) as is_fresh
        from operator_key where hash in (${sql.list([...new Set(hashes)])}) and revoked_at is null`,
    )
    const found = new Map(rows.map(({ hash, ...operator }) => [hash, operator]))
    return hashes.map((hash) => found.get(hash))
  },
)

/** Records that a key is in use. */
export async function touchOperatorKey(database: Database, _id: string): Promise<void> {
  await database.execute(sql`update operator_key set last_used_at = now()
      where _id = ${_id} and (last_used_at is null or last_used_at <= now() - ${FRESH})`)
}

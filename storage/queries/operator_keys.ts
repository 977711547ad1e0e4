import type { Database } from '../database.ts'
import type { OperatorRole } from '../entities/mod.ts'

/** An operator: the bearer of a key. `id` is null for the key of the settings. */
export type Operator = { id: string | null; name: string; role: OperatorRole }

/** Uses within this time are not recorded one by one. */
const FRESH = `interval '1 minute'`

/**
 * The operator with this SHA-256 (hex) of a key, unless the key is revoked. Each request asks, so a revocation holds for
 * the next request to any node. `is_fresh`: the use needs no record.
 */
export async function findOperator(
  database: Database,
  hash: string,
): Promise<(Operator & { id: string; is_fresh: boolean }) | undefined> {
  const [row] = await database.execute<Operator & { id: string; is_fresh: boolean }>(
    `select _id as id, name, role, coalesce(last_used_at > now() - ${FRESH}, false) as is_fresh
      from operator_key where hash = ? and revoked_at is null`,
    [hash],
  )
  return row
}

/** Records that a key is in use. */
export async function touchOperatorKey(database: Database, _id: string): Promise<void> {
  await database.execute(
    `update operator_key set last_used_at = now()
      where _id = ? and (last_used_at is null or last_used_at <= now() - ${FRESH})`,
    [_id],
  )
}

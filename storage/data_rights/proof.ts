/**
 * Keyed hashes of erased identities: they answer whether a number was erased, and nobody without `PARLEY_SECRET` can
 * try all numbers. The key is a random text, sealed by the vault, so that it survives a change of the secret.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { EntityManager } from '../database/entity_manager.ts'
import { sql } from '../sql/sql.ts'

/** Hashes identities of this installation. Creates its key at first use. */
export async function identityHasher(database: Database): Promise<(identity: string) => string> {
  const fresh = database.vault.seal('data_erasure_pepper', 'sealed', randomBytes(32).toString('hex'))
  const [row] = await database.execute<{ sealed: string }>(sql`with made as (
      insert into data_erasure_pepper (id, sealed) select 1, ${fresh} where not exists (select from data_erasure_pepper)
      on conflict do nothing returning sealed
    ) select sealed from made union all select sealed from data_erasure_pepper limit 1`)
  // Another node was first, and its row came after this statement began.
  if (!row) return identityHasher(database)
  const pepper = database.vault.open('data_erasure_pepper', 'sealed', row.sealed)
  return (identity) => createHmac('sha256', pepper).update(normal(identity)).digest('hex')
}

/** Phones with and without `+`, and addresses in any case, are one identity. */
function normal(identity: string): string {
  return identity.trim().toLowerCase().replace(/^\+/, '')
}

/** Stores that these identities were erased. */
export async function proveErased(
  em: EntityManager,
  erasure_id: string,
  hash: (identity: string) => string,
  identities: Iterable<string | null>,
): Promise<void> {
  const hashes = new Set<string>()
  for (const identity of identities) if (identity) hashes.add(hash(identity))
  if (hashes.size === 0) return
  const rows = [...hashes].map((one) => sql`(${one}, ${erasure_id})`)
  await em.execute(
    sql`insert into data_erasure_identity (hash, erasure_id) values ${sql.join(rows, ',')} on conflict do nothing`,
  )
}

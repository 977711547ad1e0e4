/** The keys that live nodes have, by the facts that they publish with their leases (`runtime/commit/store.ts`). */

import type { Database } from '../database/database.ts'
import { sql } from '../sql/sql.ts'

/** `keys`: ids of the node's keys, the one that seals first; undefined for a release that does not report them. */
export type NodeKeys = { id: string; host: string; pid: number; keys?: readonly string[] | undefined }

/** A node renews its lease several times a second. A row that is older than this was left by a node that died. */
const LIVE_S = 10

export async function readNodeKeys(database: Database): Promise<NodeKeys[]> {
  const rows = await database.execute<{ id: string; facts: Omit<NodeKeys, 'id'> }>(
    sql`select id, facts from node where renewed_at > clock_timestamp() - ${LIVE_S} * interval '1 s' order by id`,
  )
  return rows.map(({ id, facts: { host, pid, keys } }) => ({ id, host, pid, ...(keys && { keys }) }))
}

/** One sentence for each live node that does not seal with the first key of this process. */
export async function lagging(database: Database): Promise<string[]> {
  const first = database.vault.key_ids[0]!
  const nodes = await readNodeKeys(database)
  return nodes.flatMap(({ id, host, pid, keys }) => {
    const node = `The node ${id} (${host}:${pid})`
    if (!keys) return [`${node} runs a release that knows one secret only: upgrade it first.`]
    if (!keys.includes(first)) {
      return [`${node} does not have the key ${first}: restart it with that secret as the second of PARLEY_SECRET.`]
    }
    if (keys[0] !== first) {
      return [
        `${node} still seals with the key ${keys[0]}: restart it with the secret of ${first} first in PARLEY_SECRET.`,
      ]
    }
    return []
  })
}

/** A sentence while some node cannot open what another one seals; undefined otherwise. */
export function warningOfKeys(nodes: readonly Omit<NodeKeys, 'id'>[]): string | undefined {
  const sealing = new Set(nodes.flatMap(({ keys }) => keys?.slice(0, 1) ?? []))
  const without = nodes.filter(({ keys }) => keys && [...sealing].some((key) => !keys.includes(key)))
  if (without.length === 0) return undefined
  const named = without.map(({ host, pid }) => `${host}:${pid}`).sort()
  return `Some nodes lack the key of PARLEY_SECRET with which others seal (${named.join(', ')}): restart these with the new secret as the second of the list before any node has it first.`
}

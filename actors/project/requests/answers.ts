import { Idempotency, readRows } from '../../../storage/mod.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'

const IDEMPOTENCY_MS = 24 * 3_600_000

type Key = { route: string; key: string }

/** Stored answers under idempotency keys, by `answerKey`. */
export const answerReads: ReadKind<Map<string, Key>, Map<string, Idempotency>> = {
  keys: () => new Map(),
  found: () => new Map(),
  async read(found, keys, { database, state: { project_id }, now }) {
    const since = new Date(now.getTime() - IDEMPOTENCY_MS)
    const where = [...keys.values()].map(({ route, key }) => ({ project_id, route, key }))
    for (const row of await readRows(database, Idempotency, ...where)) {
      if (row.created_at > since) found.set(answerKey(row), row)
    }
  },
}

type Hashes = { body_hash: string; value_hash?: string | null | undefined }

/** True when both are the same request. Rows and messages of earlier releases have the hash of the bytes alone. */
export function isSameRequest(row: Hashes, request: Hashes): boolean {
  if (row.value_hash && request.value_hash) return row.value_hash === request.value_hash
  return row.body_hash === request.body_hash
}

/** The key of `answerReads`. */
export function answerKey({ route, key }: Key): string {
  return `${route} ${key}`
}

/** Adds the answer to an earlier request under this key to the reads. */
export function wantAnswer(reads: Reads, key: Key): void {
  reads.of(answerReads).set(answerKey(key), key)
}

/**
 * Idempotency keys of operators. Their requests belong to no project, so that one key cannot stand for requests on two
 * of them: the rows have an empty `project_id`.
 *
 *  Q1 One request at a time holds a key. Its claim ends with its answer, or by itself: its node may be dead.
 *  Q2 A change that a request makes in a transaction is committed together with its answer, and only while the claim
 *     lasts (`keepAnswer`).
 */
import type { Database } from './database/database.ts'
import { readRows } from './database/read_rows.ts'
import { Idempotency } from './entities/mod.ts'
import { type Sql, sql } from './sql/sql.ts'
import { now } from './values/time.ts'

/** The key of a request with the hashes of the request. */
export type KeyedRequest = Pick<Idempotency, 'route' | 'key' | 'body_hash'> & { value_hash?: string | undefined }

/** A request that holds its key. `claim`: the row's body as text, until the answer replaces it. */
export type HeldRequest = KeyedRequest & { claim: string }

export type ClaimedRequest =
  | { held: HeldRequest; earlier?: undefined }
  /** The row of the request that has the key. `retry_after_s`: seconds until its claim ends, when it has no answer. */
  | { held?: undefined; earlier: Idempotency; retry_after_s: number | undefined }

const OF_OPERATORS = sql`project_id = ''`
/** Answers may hold characters that PostgreSQL's text cannot, so that nothing may be extracted from them. */
const CLAIM_ENDED = (at: number) => sql`case when idempotency.body::text like '{"claim":{%'
  then (idempotency.body->'claim'->>'until')::bigint <= ${at} else false end`

/**
 * Takes the key for `claim_ms` milliseconds. A claim that has ended is taken over by the same request only.
 * @param claim_id unique
 */
export async function claimRequest(
  database: Database,
  request: KeyedRequest,
  { claim_id, claim_ms }: { claim_id: string; claim_ms: number },
): Promise<ClaimedRequest> {
  const { route, key, body_hash, value_hash = null } = request
  const at = now()
  const claim = JSON.stringify({ claim: { id: claim_id, until: at + claim_ms } })
  for (;;) {
    const taken =
      await database.execute(sql`insert into idempotency (project_id, route, key, body_hash, value_hash, status, body)
        values ('', ${route}, ${key}, ${body_hash}, ${value_hash}, 0, ${claim}::json)
        on conflict (project_id, route, key) do update
        set body_hash = excluded.body_hash, value_hash = excluded.value_hash, status = 0, body = excluded.body,
          created_at = excluded.created_at
        where idempotency.created_at < now() - interval '24 hours'
          or (${CLAIM_ENDED(at)} and idempotency.value_hash = excluded.value_hash)
        returning 1`)
    if (taken.length > 0) return { held: { ...request, claim } }
    const [earlier] = await readRows(database, Idempotency, { project_id: '', route, key })
    // Given up meanwhile.
    if (!earlier) continue
    const until = (earlier.body as { claim?: { until: number } } | null)?.claim?.until
    return { earlier, retry_after_s: until && Math.max(1, Math.ceil((until - at) / 1000)) }
  }
}

/**
 * Stores the answer of a request. In the transaction of a change, it decides whether the change may be committed.
 * @returns false when another request has the key by now, or the answer is stored already
 */
export async function keepAnswer(
  database: Pick<Database, 'execute'>,
  held: HeldRequest,
  { status, body }: Pick<Idempotency, 'status' | 'body'>,
): Promise<boolean> {
  const rows = await database.execute(
    sql`update idempotency set status = ${status}, body = ${JSON.stringify(body)}::json where ${itsRow(held)} returning 1`,
  )
  return rows.length > 0
}

/** Replaces an answer that the request has stored itself. */
export async function mendAnswer(
  database: Pick<Database, 'execute'>,
  { route, key }: HeldRequest,
  former: unknown,
  body: unknown,
): Promise<void> {
  await database.execute(sql`update idempotency set body = ${JSON.stringify(body)}::json
      where ${OF_OPERATORS} and route = ${route} and key = ${key} and body::text = ${JSON.stringify(former)}`)
}

/** Gives the key up, unless an answer is stored under it. */
export async function freeKey(database: Pick<Database, 'execute'>, held: HeldRequest): Promise<void> {
  await database.execute(sql`delete from idempotency where ${itsRow(held)}`)
}

function itsRow({ route, key, claim }: HeldRequest): Sql {
  return sql`${OF_OPERATORS} and route = ${route} and key = ${key} and body::text = ${claim}`
}

/**
 * Seals all stored values anew with the first key of `PARLEY_SECRET`, while nodes work.
 *
 *  R1 A value is replaced only if it is unchanged since it was read, in one statement. Whatever else is written stays.
 *  R2 Each batch commits together with its progress and the keys that it replaced. An interrupted rotation continues there.
 *  R3 It begins only when every live node seals with that key, so no value is sealed with another one afterwards.
 *  R4 It is finished when one pass over all values finds none to seal.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { rowsOf } from '../connections/rows_of.ts'
import type { Session } from '../connections/session.ts'
import type { Database } from '../database/database.ts'
import { advisoryLock } from '../sql/advisory_locks.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { type SealedPlace, sealedPlaces, typedKey } from '../vault/sealed_places.ts'
import { lagging } from './node_keys.ts'

/** `message` is a sentence that tells the operator what to do. */
export class RotationRefused extends Error {
  override name = 'RotationRefused'
}

/** A value that no key of `PARLEY_SECRET` opens. */
export type Unopened = { table: string; record_id: string; reason: string }

export type RotationResult = {
  key_id: string
  /** Values sealed by this call and by the calls that it continues. */
  resealed: number
  /** Number of values that did not open, and the first of them. */
  unopened: number
  examples: Unopened[]
}

export type RotationOptions = {
  /** Values sealed so far and values in all. */
  progress?: (done: number, total: number) => void
  /** Stops between two batches; a later call continues. */
  signal?: AbortSignal
  /** Rows read for each batch. Default 1000. */
  batch?: number
}

/** One rotation at a time. */
const LOCK = advisoryLock('rotation')
/** Maximum wait of a batch for a locked row; the node that holds it may be waiting for a row of the batch. */
const ROW_LOCK_MS = 100
const AGAIN_MS = 200
const EXAMPLES = 20
const IN_USE = new Set(['55P03', '40P01'])

/** Removes limits that an operator may have set for requests. */
const NO_LIMITS = sql`select set_config(name, '0', false) from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'idle_session_timeout', 'transaction_timeout')`

type Row = { key: string[]; sealed: string | null }
type Work = { database: Database; session: Session; key_id: string; options: RotationOptions }
/** Index of a place, and the last key that is done there. */
type Position = { place: number; done_up_to: string[] | null }
type Pass = { sealed: number; unopened: number; examples: Unopened[] }

/**
 * Any process with `PARLEY_SECRET` may call it. When all is sealed already it costs a scan.
 *
 * @throws {RotationRefused} when another rotation runs, or a live node does not seal with the first key
 * @throws {VaultError} when there is no secret
 */
export async function rotateSecrets(database: Database, options: RotationOptions = {}): Promise<RotationResult> {
  const key_id = database.vault.key_ids[0]!
  const session = await database.session()
  try {
    await rowsOf(session, NO_LIMITS)
    const [lock] = await rowsOf<{ taken: boolean }>(session, sql`select pg_try_advisory_lock(${LOCK}) as taken`)
    if (!lock!.taken) throw new RotationRefused('Another rotation is under way: wait for it, or stop it.')
    try {
      const behind = await lagging(database)
      if (behind.length > 0) throw new RotationRefused(behind.join('\n'))
      return await rotate({ database, session, key_id, options })
    } finally {
      // The server takes a moment to notice that a connection has ended, and the next rotation may begin sooner.
      await rowsOf(session, sql`select pg_advisory_unlock(${LOCK})`).catch(() => {})
    }
  } finally {
    session.reset()
  }
}

async function rotate(work: Work): Promise<RotationResult> {
  const { session, key_id, options } = work
  const begun = await begin(work)
  let at: Position = begun
  let done = begun.resealed
  const total = done + (await countOthers(work))
  const sealed = (count: number) => {
    done += count
    options.progress?.(Math.min(done, total), total)
  }
  sealed(0)
  const anew: Position = { place: 0, done_up_to: null }
  let last = await onePass(work, at, sealed)
  while (last.sealed > 0 || at !== anew) {
    at = anew
    last = await onePass(work, at, sealed)
  }
  const { unopened, examples } = last
  const finished = unopened === 0 ? sql`now()` : sql`null`
  await rowsOf(
    session,
    sql`update secret_rotation set place = 0, done_up_to = null, finished_at = ${finished} where key_id = ${key_id}`,
  )
  return { key_id, resealed: done, unopened, examples }
}

/** The place to continue at. A rotation that was finished begins anew. */
async function begin({ session, key_id }: Work): Promise<Position & { resealed: number }> {
  const [row] = await rowsOf<Position & { resealed: string }>(
    session,
    sql`insert into secret_rotation as known (key_id) values (${key_id})
     on conflict (key_id) do update set
       started_at = case when known.finished_at is null then known.started_at else now() end,
       resealed = case when known.finished_at is null then known.resealed else 0 end,
       finished_at = null
     returning place, done_up_to, resealed::text`,
  )
  return { ...row!, resealed: Number(row!.resealed) }
}

async function countOthers({ session, key_id }: Work): Promise<number> {
  let total = 0
  for (const place of sealedPlaces) {
    const [row] = await rowsOf<{ count: string }>(
      session,
      sql`select count(*)::text as count from (select ${place.sealed} as sealed from ${sql.id(place.table)} t) s
       where ${isOther(sql`sealed`, key_id)}`,
    )
    total += Number(row!.count)
  }
  return total
}

/** True for an envelope that does not name the key. */
function isOther(sealed: Sql, key_id: string): Sql {
  return sql`${sealed} not like ${`%:${key_id}`}`
}

async function onePass(work: Work, from: Position, sealed: (count: number) => void): Promise<Pass> {
  const pass: Pass = { sealed: 0, unopened: 0, examples: [] }
  let after = from.done_up_to
  for (let index = from.place; index < sealedPlaces.length; index++) {
    const place = sealedPlaces[index]!
    for (;;) {
      work.options.signal?.throwIfAborted()
      const began = performance.now()
      const rows = await nextRows(work, place, after)
      const last = rows.at(-1)
      if (!last) break
      const count = await patiently(work, () => seal(work, index, rows, last.key, pass))
      pass.sealed += count
      sealed(count)
      after = last.key
      // Nodes get as much time for themselves as the batch took.
      await pause(performance.now() - began, undefined, { signal: work.options.signal })
    }
    after = null
  }
  return pass
}

/** The next rows by their key. `sealed` is null where there is nothing to seal. */
function nextRows({ session, key_id, options }: Work, place: SealedPlace, after: string[] | null): Promise<Row[]> {
  const names = place.key.map(([name]) => sql`t.${sql.id(name)}`)
  const where = after === null ? sql`` : sql`where (${sql.join(names, ',')}) > (${typedKey(place, after)})`
  return rowsOf<Row>(
    session,
    sql`select array[${sql.join(
      names.map((name) => sql`${name}::text`),
      ',',
    )}] as key,
       case when ${isOther(sql`x.sealed`, key_id)} then x.sealed end as sealed
     from ${sql.id(place.table)} t cross join lateral (select ${place.sealed} as sealed) x
     ${where} order by ${sql.join(names, ',')} limit ${options.batch ?? 1000}`,
  )
}

/** Seals the rows and notes the progress (R1, R2). Returns the number of values that were replaced. */
async function seal(work: Work, index: number, rows: Row[], last: string[], pass: Pass): Promise<number> {
  const { session, key_id } = work
  const place = sealedPlaces[index]!
  const values: Sql[] = []
  const failed: Unopened[] = []
  const replaced = new Set<string>()
  for (const { key, sealed } of rows) {
    if (sealed === null) continue
    const record_id = place.record_id(key)
    try {
      const next = sealedAnew(work, place, record_id, sealed)
      replaced.add(sealed.split(':')[2] ?? work.database.vault.keyOf(record_id, place.name, sealed))
      values.push(sql`(${typedKey(place, key)}, ${sealed}, ${next})`)
    } catch (error) {
      failed.push({ table: place.table, record_id, reason: (error as Error).message })
    }
  }
  const columns = place.key.map((_, n) => sql`k${n}`)
  const matching = sql.join(
    place.key.map(([name], n) => sql`t.${sql.id(name)} = v.k${n}`),
    ' and ',
  )
  const changed =
    values.length === 0
      ? sql`select 1 where false`
      : sql`update ${sql.id(place.table)} t set ${place.assign(sql`v.next`)}
         from (values ${sql.join(values, ',')}) as v(${sql.join(columns, ',')}, old, next)
         where ${matching} and ${place.sealed} = v.old returning 1`
  const [row] = await rowsOf<{ count: string }>(
    session,
    sql`set local lock_timeout = ${ROW_LOCK_MS};
     with changed as (${changed}), counted as (select count(*) as count from changed)
     update secret_rotation set place = ${index}, done_up_to = ${JSON.stringify(last)},
       resealed = resealed + counted.count, replaced = array(select unnest(replaced) union ${arrayOf(replaced)} order by 1)
     from counted where key_id = ${key_id}
     returning counted.count::text`,
  )
  pass.unopened += failed.length
  pass.examples.push(...failed.slice(0, EXAMPLES - pass.examples.length))
  return Number(row!.count)
}

function arrayOf(texts: Iterable<string>): Sql {
  return sql`select unnest(array[${sql.list([...texts])}]::text[])`
}

function sealedAnew({ database: { vault } }: Work, { name }: SealedPlace, record_id: string, sealed: string): string {
  return vault.seal(record_id, name, vault.open(record_id, name, sealed))
}

/** Retries while other sessions hold rows of the batch. */
async function patiently<Result>({ options: { signal } }: Work, seal: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await seal()
    } catch (error) {
      if (!IN_USE.has((error as { code?: string }).code ?? '')) throw error
    }
    await pause(AGAIN_MS, undefined, { signal })
  }
}

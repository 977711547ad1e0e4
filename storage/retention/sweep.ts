/**
 * Deletes expired records in small batches with pauses. Any node may do it at any time, and a batch that is repeated
 * deletes nothing twice. The clock of the database alone decides what has expired.
 *
 *  R1 A day table is dropped whole once no project keeps its records.
 *  R2 Until then, projects with fewer days than others have their rows of the table deleted. One walk for each number
 *     of days visits every row once, in the order of the ids, and its place is stored.
 *  R3 A change of a setting begins the walks of its kind anew.
 *  R4 The moment of a sweep is taken at its beginning. Records that expire later are those of the next one, so a sweep
 *     ends under any load.
 *  R5 Rows that another session holds are passed over, until the next sweep. A walk then goes back to the first of them.
 *  R6 A statement deletes a bounded number of rows. The attempts of a delivery go before it, in as many statements as
 *     they need.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import type { EntityManager } from '../database/entity_manager.ts'
import { type Sql, sql } from '../sql/sql.ts'
import {
  type ConfiguredDays,
  idAt,
  type RetentionKind,
  type RetentionName,
  retentionKinds,
  retentionNames,
} from './kinds.ts'
import { defaultDays } from './settings.ts'

/** Rows deleted in a transaction. */
const BATCH = 500
/** Attempts deleted in a transaction, with their deliveries. */
const ATTEMPTS = 2500
/** Rows of a day table visited in a transaction. */
const VISITED = 5000
/** Shortest pause between batches. Milliseconds. */
const PAUSE_MS = 10
/** Pause after a batch, as a multiple of its duration: the sweep takes a third of one connection's time at most. */
const REST = 2

type Setting = { project_id: string; kind: RetentionName; days: number | null }
type Walk = { kind: RetentionName; days: number; projects: Sql }

const DAY_PREFIX = { event: 'evt_', delivery: 'dlv_' } as const

const cutoffOf = (moment: Sql, days: number) => sql`(${moment} - ${days} * interval '1 day')`

/**
 * The days after which a day table is dropped: the greatest number of days of any project. Null when a project keeps
 * events or deliveries for ever.
 */
export async function maxDays(database: Database, { retention_days }: ConfiguredDays): Promise<number | null> {
  const kinds = retentionNames.filter((kind) => (retentionKinds[kind] as RetentionKind).by_day)

  const [row] = await database.execute<{ days: number | null; is_endless: boolean }>(sql`
    select max(days) as days, coalesce(bool_or(days is null), false) as is_endless from retention
    where kind in (${sql.list(kinds)})`)
  return row!.is_endless ? null : Math.max(retention_days, row!.days ?? 0)
}

/**
 * Deletes the expired records of all projects with settings. Returns the numbers by kind. Records that cannot be deleted
 * hold up no other project and no other kind.
 *
 * @param stopped ends the sweep between two batches
 * @throws {AggregateError} at the end, with the fault of each project and kind that failed
 */
export async function sweepRetention(
  database: Database,
  configured: ConfiguredDays,
  stopped: () => boolean = () => false,
): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {}
  const add = (kind: string, count: number) => {
    if (count > 0) deleted[kind] = (deleted[kind] ?? 0) + count
  }
  const [{ now }] = (await database.execute<{ now: string }>(sql`select now()::text`)) as [{ now: string }]
  const moment = sql`${now}::timestamptz`
  const faults: unknown[] = []
  const settings = await database.execute<Setting>(sql`select project_id, kind, days from retention order by 1, 2`)
  for (const { project_id, kind, days } of settings) {
    const known: RetentionKind | undefined = retentionKinds[kind]
    // A kind of another version, or one that has walks of its own below.
    if (!known || known.by_day || (days === null && kind !== 'media')) continue
    const limited = days ?? 36_500
    const cutoff = cutoffOf(moment, limited)
    const statement = known.statement({ project: sql`${project_id}`, moment, cutoff, days: limited, limit: BATCH })
    const sweepOne = async () => {
      while (!stopped()) {
        const count = await paced(() => deleteSome(database, statement, known.first))
        add(kind, count)
        if (count === 0) break
      }
    }
    await sweepOne().catch((error) => faults.push(error))
  }
  for (const walk of walksOf(settings, configured, await maxDays(database, configured))) {
    const walkAll = async () => {
      await beginWalk(database, walk)
      while (!stopped()) {
        const { more, count } = await paced(() => walkOn(database, walk, moment))
        add(walk.kind, count)
        if (!more) break
      }
    }
    await walkAll().catch((error) => faults.push(error))
  }
  if (faults.length > 0) throw new AggregateError(faults, faults.map((fault) => (fault as Error).message).join('; '))
  return deleted
}

async function deleteSome(database: Database, statement: Sql, first: Sql | undefined): Promise<number> {
  return database.em().transactional(async (em) => {
    if (first !== undefined) await em.execute(first)
    const [row] = await em.execute<{ count: number }[]>(statement)
    return row!.count
  })
}

/** The walks through day tables that are still needed by other projects. `projects`: a condition of SQL. */
function walksOf(settings: Setting[], configured: ConfiguredDays, longest: number | null): Walk[] {
  const walks: Walk[] = []
  for (const kind of retentionNames) {
    if (!(retentionKinds[kind] as RetentionKind).by_day) continue
    const usual = defaultDays(kind, configured)!
    const others = settings.filter((one) => one.kind === kind && one.days !== usual)
    const isNeeded = (days: number | null): days is number => days !== null && (longest === null || days < longest)
    for (const [days, rows] of Map.groupBy(others, (one) => one.days)) {
      if (isNeeded(days)) walks.push({ kind, days, projects: sql`in (${listed(rows)})` })
    }
    if (isNeeded(usual))
      walks.push({
        kind,
        days: usual,
        projects: others.length > 0 ? sql`not in (${listed(others)})` : sql`is not null`,
      })
  }
  return walks
}

function listed(settings: Setting[]): Sql {
  return sql.list(settings.map(({ project_id }) => project_id))
}

/** A walk that passed over rows that were held goes back to the first of them. */
async function beginWalk(database: Database, { kind, days }: Walk): Promise<void> {
  await database.execute(sql`
    insert into retention_walk as known (kind, days) values (${kind}, ${days}) on conflict (kind, days) do update
      set up_to = least(known.up_to, known.held_from), held_from = null where known.held_from is not null`)
}

/**
 * Visits the next rows of a day table. The row of the walk is locked, so that two nodes do not visit the same rows.
 * `more`: false at the end of the walk, or while another node walks.
 */
async function walkOn(
  database: Database,
  { kind, days, projects }: Walk,
  moment: Sql,
): Promise<{ more: boolean; count: number }> {
  const { by_day } = retentionKinds[kind] as RetentionKind & { by_day: 'event' | 'delivery' }
  return database.em().transactional(async (em) => {
    const [walk] = await em.execute<{ up_to: string }[]>(
      sql`select up_to from retention_walk where kind = ${kind} and days = ${days} for update skip locked`,
    )
    if (!walk) return { more: false, count: 0 }
    const cutoff = idAt(DAY_PREFIX[by_day], cutoffOf(moment, days))
    const found = await em.execute<{ id: string; expires: boolean }[]>(sql`
      select id, project_id ${projects} as expires from ${sql.id(by_day)}
      where id > ${walk.up_to} and id < ${cutoff} order by id limit ${VISITED}`)
    const visited = upToBatch(found)
    const last = visited.at(-1)?.id
    if (last === undefined) return { more: false, count: 0 }
    const ids = visited.filter(({ expires }) => expires).map(({ id }) => id)
    const { more, count } = await deleteVisited(em, by_day, ids)
    if (more) return { more, count: 0 }
    const held_from = count < ids.length ? sql`coalesce(held_from, up_to)` : sql`held_from`
    await em.execute(sql`
      update retention_walk set up_to = ${last}, held_from = ${held_from} where kind = ${kind} and days = ${days}`)
    return { more: visited.length < found.length || found.length === VISITED, count }
  })
}

/** `more`: attempts of these deliveries are left. `count`: the rows that were deleted, without those that are held. */
async function deleteVisited(
  em: EntityManager,
  by_day: 'event' | 'delivery',
  ids: string[],
): Promise<{ more: boolean; count: number }> {
  const free = ids.length === 0 ? [] : await lockFree(em, by_day, ids)
  if (free.length === 0) return { more: false, count: 0 }
  let whole = sql``
  if (by_day === 'delivery') {
    const theirs = among(sql`delivery_id`, free)
    if ((await deleteAttempts(em, theirs)) === ATTEMPTS) return { more: true, count: 0 }
    whole = sql`and not exists (select from attempt where ${theirs} and delivery_id = id)`
  }
  const [row] = await em.execute<{ count: number }[]>(sql`
    with gone as (delete from ${sql.id(by_day)} where ${among(sql`id`, free)} ${whole} returning 1)
    select count(*)::int as count from gone`)
  return { more: false, count: row!.count }
}

async function lockFree(em: EntityManager, by_day: 'event' | 'delivery', ids: string[]): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    sql`select id from ${sql.id(by_day)} where ${among(sql`id`, ids)} for update skip locked`,
  )
  return rows.map(({ id }) => id).sort()
}

/** `ids` in order: they name the few day tables to look in. */
function among(column: Sql, ids: string[]): Sql {
  return sql`${column} between ${ids[0]!} and ${ids.at(-1)!} and ${column} in (${sql.list(ids)})`
}

/** The rows up to the last one that may be deleted in one statement. */
function upToBatch(rows: { id: string; expires: boolean }[]): { id: string; expires: boolean }[] {
  let expiring = 0
  const last = rows.findIndex(({ expires }) => expires && ++expiring === BATCH)
  return last === -1 ? rows : rows.slice(0, last + 1)
}

/** Returns their number, at most `ATTEMPTS`. A row of a partitioned table has no place (ctid) of its own. */
async function deleteAttempts(em: EntityManager, range: Sql): Promise<number> {
  const [row] = await em.execute<{ count: number }[]>(sql`
    with gone as (
      delete from attempt where ${range} and (delivery_id, attempt) in (
        select delivery_id, attempt from attempt where ${range} limit ${ATTEMPTS} for update skip locked) returning 1
    ) select count(*)::int as count from gone`)
  return row!.count
}

/** Does one batch, then pauses. */
async function paced<Result>(work: () => Promise<Result>): Promise<Result> {
  const began = performance.now()
  const result = await work()
  await sleep(Math.max(PAUSE_MS, REST * (performance.now() - began)), undefined, { ref: false })
  return result
}

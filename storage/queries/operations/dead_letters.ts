/**
 * Dead letters for operators. The table has no index but its key, so that parking costs nothing more; a filter reads
 * the whole table.
 */
import type { Database } from '../../database/database.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { contains } from '../common/contains.ts'
import { type CountedPage, toPage, type Window } from '../common/keyset.ts'

/** All given conditions must hold. */
export type DeadLetterFilter = {
  id?: string | undefined
  /** Excludes letters parked after this one. */
  max_id?: string | undefined
  /** The kind of the receiving actor: its address up to the slash. */
  kind?: string | undefined
  address?: string | undefined
  /** The type of the message. */
  type?: string | undefined
  /** Text that its error contains, in any case. */
  error?: string | undefined
  /** Parked at or after; ISO 8601. */
  since?: string | undefined
  /** Parked before; ISO 8601. */
  until?: string | undefined
}

export type DeadLetterSummary = {
  id: string
  /** Time of the database's clock; ISO 8601. */
  parked_at: string
  kind: string
  address: string
  /** Null when PostgreSQL cannot read the message, or it has none. */
  type: string | null
  sender: string | null
  /** First line of the error. */
  error: string
}

/** A message as needed to send it again. */
export type KeptMessage = { id: string; address: string; sender: string | null; message: { type: string } }

const KIND = sql`split_part(address, '/', 1)`
const TYPE = sql`dead_letter_type(message)`
/** Maximum characters of an error in a summary. */
const MAX_ERROR = 300

const summary = (error: Sql) =>
  sql`id::text, parked_at, ${KIND} as kind, address, ${TYPE} as type, sender, ${error} as error`

function where(filter: DeadLetterFilter): Sql {
  const { id, max_id, kind, address, type, error, since, until } = filter
  const number = (text: string) => sql`${text}::bigint`
  const time = (text: string) => sql`${text}::timestamptz`
  const conditions = [
    id !== undefined && sql`id = ${number(id)}`,
    max_id !== undefined && sql`id <= ${number(max_id)}`,
    address !== undefined && sql`address = ${address}`,
    kind !== undefined && sql`${KIND} = ${kind}`,
    since !== undefined && sql`parked_at >= ${time(since)}`,
    until !== undefined && sql`parked_at < ${time(until)}`,
    type !== undefined && sql`${TYPE} = ${type}`,
    error !== undefined && contains(sql`error`, error),
  ]
  const fields = conditions.filter((one) => one !== false)
  return fields.length > 0 ? sql.join(fields, ' and ') : sql`true`
}

const withIsoTime = <Row extends { parked_at: string }>(row: Row): Row => ({
  ...row,
  parked_at: new Date(row.parked_at).toISOString(),
})

/** The matching letters, newest first, and their total number. */
export async function listDeadLetters(
  database: Database,
  filter: DeadLetterFilter,
  { limit, offset, cursor }: Window,
): Promise<CountedPage<DeadLetterSummary>> {
  const error = sql`left(split_part(error, E'\\n', 1), ${MAX_ERROR})`
  const rows = await database.execute<DeadLetterSummary>(sql`
    select ${summary(error)} from dead_letter where ${where(filter)}
      ${cursor === undefined ? sql`` : sql`and dead_letter.id < ${cursor}::bigint`}
    order by dead_letter.id desc limit ${limit + 1} offset ${offset}`)
  return { ...toPage(rows.map(withIsoTime), limit, ({ id }) => id), total: await countDeadLetters(database, filter) }
}

export async function countDeadLetters(database: Database, filter: DeadLetterFilter): Promise<number> {
  const [row] = await database.execute<{ total: number }>(
    sql`select count(*)::int as total from dead_letter where ${where(filter)}`,
  )
  return row!.total
}

/** The whole letter, or undefined when there is none with this id. */
export async function findDeadLetter(
  database: Database,
  id: string,
): Promise<(DeadLetterSummary & { partition: number; message: { type: string } }) | undefined> {
  const [row] = await database.execute<DeadLetterSummary & { partition: number; message: { type: string } }>(
    sql`select ${summary(sql`error`)}, partition, message from dead_letter where ${where({ id })}`,
  )
  return row && withIsoTime(row)
}

/** The id of the letter that was parked last, or undefined when there is none. */
export async function lastDeadLetterId(database: Database): Promise<string | undefined> {
  const [row] = await database.execute<{ id: string | null }>(sql`select max(id)::text as id from dead_letter`)
  return row?.id ?? undefined
}

/** The oldest matching letters, in the order in which they were parked: at most `limit`, up to `bytes` in all. */
export function readKeptMessages(
  database: Database,
  filter: DeadLetterFilter,
  { limit, bytes }: { limit: number; bytes: number },
): Promise<KeptMessage[]> {
  return database.execute<KeptMessage>(sql`
    select id::text, address, sender, message from (
      select *, sum(octet_length(message::text)) over (order by id) - octet_length(message::text) as bytes_before
      from (
        select * from dead_letter where ${where(filter)} order by id limit ${limit}) oldest
    ) measured where bytes_before < ${bytes} order by measured.id`)
}

/** The ids of the oldest matching letters. */
export async function readDeadLetterIds(
  database: Database,
  filter: DeadLetterFilter,
  limit: number,
): Promise<string[]> {
  const rows = await database.execute<{ id: string }>(
    sql`select id::text from dead_letter where ${where(filter)} order by dead_letter.id limit ${limit}`,
  )
  return rows.map(({ id }) => id)
}

/** Number of the newest letters that are counted. */
const COUNTED = 10_000

export type DeadLetterFigures = {
  /** Counts by kind of actor, among the newest 10,000. */
  counts: { kind: string; count: number }[]
  /** Seconds since the oldest was parked, by the clock of the database; 0 when there is none. */
  oldest_s: number
}

/** Costs the same for any number of letters. */
export async function readDeadLetterFigures(database: Database): Promise<DeadLetterFigures> {
  const [row] = await database.execute<{ counts: DeadLetterFigures['counts'] | null; oldest_s: number | null }>(sql`
    select
      (select json_agg(json_build_object('kind', kind, 'count', count)) from (
        select ${KIND} as kind, count(*)::int from (
          select address from dead_letter order by id desc limit ${COUNTED}) newest group by 1) by_kind) as counts,
      (select extract(epoch from clock_timestamp() - parked_at)::float8 from dead_letter order by id limit 1) as oldest_s`)
  return { counts: row!.counts ?? [], oldest_s: Math.max(0, row!.oldest_s ?? 0) }
}

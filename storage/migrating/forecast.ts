/**
 * Forecasts a migration before it runs: its steps, the tables that they touch, and about how long each takes. It only
 * reads.
 *
 * The estimate of a step that goes through a table is its rows times what this server takes for a row: rows of that
 * table are read for a moment, and the time is multiplied by what an index or a change of a row costs in comparison. A
 * server that is busy, or whose table does not fit into memory, may take several times as long.
 */
import type { Database } from '../database/database.ts'
import { migrations } from '../migrations/list.ts'
import { type Migration, type Step, statementsOf } from '../migrations/step.ts'
import { sql } from '../sql/sql.ts'
import { compareMigrations } from './migrate.ts'

/** Times that reading a row takes. Of a table of 300,000 rows with three indexes 1.1, 29 and 0.3 were measured. */
const FACTOR = { index: 2, batches: 40, scan: 0.5 }
/** A row in an index takes about as much; a changed row leaves its former version behind. */
const INDEX_ROW_BYTES = 60
/** Rows that are read to time the server. */
const SAMPLE_ROWS = 20_000
/** Seconds of a step that touches no rows. */
const MOMENT_S = 0.1

export type StepForecast = {
  migration: string
  /** From 1. */
  step: number
  of: number
  /** A sentence for people. */
  summary: string
  table: string | null
  /** Of the table, approximate; 0 for a new table. */
  rows: number
  bytes: number
  /** Seconds, approximate. */
  seconds: number
  /** Bytes on the disk that it takes at most, approximate. */
  disk_bytes: number
  /** How working nodes notice it. */
  effect: 'none' | 'a moment' | 'more load'
}

export type Forecast = {
  steps: StepForecast[]
  /** Migrations of a newer release that this program does not know. */
  newer: string[]
  /** Sessions whose transactions have been open for long: index builds wait for them. */
  open_transactions: { pid: number; application: string; seconds: number }[]
}

/** `list`: default all migrations of this release. */
export async function forecastMigrations(
  database: Database,
  list: readonly Migration[] = migrations,
): Promise<Forecast> {
  const { missing, newer } = await compareMigrations(database, list)
  const done = await stepsDone(database)
  const steps: StepForecast[] = []
  const pace = new Map<string, number>()
  for (const { name, steps: all } of list) {
    if (!missing.includes(name)) continue
    for (let at = done.get(name) ?? 0; at < all.length; at++) {
      const step = all[at]!
      const table = tableOf(step)
      const size = table === null ? undefined : await sizeOf(database, table)
      if (table !== null && size !== undefined && costs(step) > 0 && !pace.has(table)) {
        pace.set(table, await secondsOfRow(database, table))
      }
      const { rows, bytes } = size ?? { rows: 0, bytes: 0 }
      const work_s = rows * costs(step) * (pace.get(table ?? '') ?? 0)
      steps.push({
        migration: name,
        step: at + 1,
        of: all.length,
        summary: summaryOf(step, table, size?.rows),
        table,
        rows,
        bytes,
        seconds: Math.max(MOMENT_S, work_s),
        disk_bytes: diskOf(step, rows, bytes),
        effect: step.kind === 'transaction' ? (size === undefined ? 'none' : 'a moment') : 'more load',
      })
    }
  }
  return { steps, newer, open_transactions: missing.length === 0 ? [] : await openTransactions(database) }
}

/** Steps done of migrations that were interrupted. */
async function stepsDone(database: Database): Promise<Map<string, number>> {
  const [found] = await database.execute<{ there: boolean }>(
    sql`select to_regclass('migration_progress') is not null as there`,
  )
  if (!found?.there) return new Map()
  const rows = await database.execute<{ name: string; step: number }>(sql`select name, step from migration_progress`)
  return new Map(rows.map(({ name, step }) => [name, step]))
}

const TABLE =
  /^[ \t]*(?:alter table(?: only)?(?: if exists)?|create(?: unique)? index(?: \w+)? on(?: only)?|update|delete from|insert into)\s+"?(\w+)/im
const NEW_TABLE = /^[ \t]*create table(?: if not exists)?\s+"?(\w+)/im

/** The table in use that a step touches; null where it only makes new things. */
function tableOf(step: Step): string | null {
  if (step.kind === 'batches') return step.table
  if (step.kind === 'index') return /^"?(\w+)/.exec(step.on)?.[1] ?? null
  const text = statementsOf(step).join(';\n')
  const made = new Set([...text.matchAll(new RegExp(NEW_TABLE, 'gim'))].map((found) => found[1]))
  const touched = [...text.matchAll(new RegExp(TABLE, 'gim'))].map((found) => found[1]!)
  return touched.find((name) => !made.has(name)) ?? null
}

function costs(step: Step): number {
  if (step.kind === 'index') return FACTOR.index
  if (step.kind === 'batches') return FACTOR.batches
  return step.kind === 'transaction' && /validate constraint/i.test(step.statements.join()) ? FACTOR.scan : 0
}

function diskOf(step: Step, rows: number, bytes: number): number {
  if (step.kind === 'index') return rows * INDEX_ROW_BYTES
  return step.kind === 'batches' ? bytes : 0
}

/** Undefined for a table that does not exist yet. Partitions count with their parent. */
async function sizeOf(database: Database, table: string): Promise<{ rows: number; bytes: number } | undefined> {
  const [row] = await database.execute<{ rows: number | null; bytes: number | null }>(sql`
    select sum(greatest(c.reltuples, 0))::float8 as rows, sum(pg_table_size(c.oid))::float8 as bytes
    from pg_class c where c.oid = to_regclass(${table})
      or c.oid in (select inhrelid from pg_inherits where inhparent = to_regclass(${table}))`)
  return row?.rows == null || row.bytes == null ? undefined : { rows: row.rows, bytes: row.bytes }
}

/** Seconds that the server takes to read a row, whole. */
async function secondsOfRow(database: Database, table: string): Promise<number> {
  const began = performance.now()
  const [row] = await database.execute<{ rows: number }>(sql`
    select count(length(sample.whole))::integer as rows
    from (select t::text as whole from ${sql.id(table)} t limit ${SAMPLE_ROWS}) sample`)
  const seconds = (performance.now() - began) / 1000
  return row!.rows === 0 ? 0 : seconds / row!.rows
}

async function openTransactions(database: Database): Promise<Forecast['open_transactions']> {
  return database.execute(sql`
    select pid, application_name as application, extract(epoch from clock_timestamp() - xact_start)::integer as seconds
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start < clock_timestamp() - interval '1 minute'
    order by xact_start limit 20`)
}

function summaryOf(step: Step, table: string | null, rows: number | undefined): string {
  const about = rows === undefined ? '' : ` (about ${Math.round(rows).toLocaleString('en')} rows)`
  if (step.kind === 'index') return `Builds the index ${step.name} of ${table}${about} beside writers.`
  if (step.kind === 'index_drop') return `Drops the index ${step.name}.`
  if (step.kind === 'batches') return `Changes rows of ${table}${about} in short transactions.`
  const text = step.statements.join(';\n')
  const made = [...text.matchAll(new RegExp(NEW_TABLE, 'gim'))].map((found) => found[1]!)
  if (made.length > 0) return `Adds ${listed(made)}.`
  if (step.unused_since)
    return `Removes what no release since ${step.unused_since} uses${table ? ` from ${table}` : ''}.`
  const columns = [...text.matchAll(/add column(?: if not exists)? "?(\w+)/gi)].map((found) => found[1]!)
  if (table !== null && columns.length > 0) return `Adds ${listed(columns)} to ${table}.`
  if (/validate constraint/i.test(text)) return `Reads ${table}${about} to prove a constraint.`
  return table === null ? 'Changes functions, triggers or settings.' : `Changes the table ${table}.`
}

function listed(names: readonly string[]): string {
  const unique = [...new Set(names)]
  return unique.length > 4 ? `${unique.slice(0, 3).join(', ')} and ${unique.length - 3} more` : unique.join(', ')
}

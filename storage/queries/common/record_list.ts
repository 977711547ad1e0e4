/** Lists of the records that operators set up. */
import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import { type EntityRef, tableOf } from '../../database/write_set.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { foldedContains } from './contains.ts'
import { type CountedPage, type Page, toPage, type Window } from './keyset.ts'

/** Values of columns; `undefined` is none. `search`: a part of the name, whatever its case and accents. */
export type RecordFilter<Row> = { [Column in keyof Row]?: Row[Column] | undefined } & { search?: string | undefined }

/**
 * The names by which records are found, by table, as their indexes have them. Parts are separated by a character that no
 * search can contain.
 */
const NAMES: Readonly<Record<string, Sql>> = {
  company: sql`name`,
  project: sql`name`,
  user: sql`full_name || E'\\x01' || email`,
  token: sql`name`,
  channel: sql`name`,
  tag: sql`name`,
  pipeline: sql`name`,
  event_type: sql`name || E'\\x01' || key`,
  custom_field: sql`name || E'\\x01' || key`,
  canned_response: sql`shortcut || E'\\x01' || coalesce(title, '')`,
}

/** One page of a table, newest first, and the total number of rows that match the filter and the conditions. */
export async function listRecords<Row extends { _id: string }>(
  database: Database,
  entity: EntityRef<Row>,
  filter: RecordFilter<Row>,
  window: Window,
  conditions: readonly Sql[] = [],
): Promise<CountedPage<Row>> {
  // One after the other: a read has one connection.
  const page = await pageRecords(database, entity, filter, window, conditions)
  const all = conditionsOf(database, entity, filter, conditions)
  const [counted] = await database.execute<{ total: number }>(
    sql`select count(*)::integer as total ${rowsOf(database, entity, all)}`,
  )
  return { ...page, total: counted!.total }
}

/** The page without the total, for lists that do not show it. */
export async function pageRecords<Row extends { _id: string }>(
  database: Database,
  entity: EntityRef<Row>,
  filter: RecordFilter<Row>,
  { limit, offset, cursor }: Window,
  conditions: readonly Sql[] = [],
): Promise<Page<Row>> {
  const all = conditionsOf(database, entity, filter, conditions)
  const from = rowsOf(database, entity, cursor === undefined ? all : [...all, sql`_id < ${cursor}`])
  const rows = await database.execute(
    sql`select ${columnsOf(database, entity)} ${from} order by _id desc limit ${limit + 1} offset ${offset}`,
  )
  return toPage(toRows(database, entity, rows), limit, ({ _id }) => _id)
}

function conditionsOf<Row extends object>(
  database: Database,
  entity: EntityRef<Row>,
  { search, ...exact }: RecordFilter<Row>,
  conditions: readonly Sql[],
): Sql[] {
  const all = [...Object.entries(exact).flatMap(([column, value]) => equality(column, value)), ...conditions]
  if (search) all.push(foldedContains(NAMES[tableOf(database.orm, entity).name]!, search))
  return all
}

function rowsOf<Row extends object>(database: Database, entity: EntityRef<Row>, conditions: readonly Sql[]): Sql {
  const where = conditions.length > 0 ? sql`where ${sql.join(conditions, ' and ')}` : sql``
  return sql`from ${sql.id(tableOf(database.orm, entity).name)} ${where}`
}

/** Addresses are compared in any case, as their unique index does. */
function equality(column: string, value: unknown): Sql[] {
  if (value === undefined) return []
  if (value === null) return [sql`${sql.id(column)} is null`]
  if (typeof value === 'boolean') return [value ? sql.id(column) : sql`not ${sql.id(column)}`]
  const text = String(value)
  return [column === 'email' ? sql`lower(email) = lower(${text})` : sql`${sql.id(column)} = ${text}`]
}

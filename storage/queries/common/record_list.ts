/** Lists of the records that operators set up. */
import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import { type EntityRef, tableOf } from '../../database/write_set.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { foldedContains } from './contains.ts'
import { type CountedPage, toPage, type Window } from './keyset.ts'

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
  { search, ...exact }: RecordFilter<Row>,
  { limit, offset, cursor }: Window,
  conditions: readonly Sql[] = [],
): Promise<CountedPage<Row>> {
  const { name } = tableOf(database.orm, entity)
  const all = [...Object.entries(exact).flatMap(([column, value]) => equality(column, value)), ...conditions]
  if (search) all.push(foldedContains(NAMES[name]!, search))
  const from = (wanted: readonly Sql[]) =>
    sql`from ${sql.id(name)} ${wanted.length > 0 ? sql`where ${sql.join(wanted, ' and ')}` : sql``}`
  const after_cursor = from(cursor === undefined ? all : [...all, sql`_id < ${cursor}`])
  // One after the other: a read has one connection.
  const rows = await database.execute(
    sql`select ${columnsOf(database, entity)} ${after_cursor} order by _id desc limit ${limit + 1} offset ${offset}`,
  )
  const [counted] = await database.execute<{ total: number }>(sql`select count(*)::integer as total ${from(all)}`)
  return { ...toPage(toRows(database, entity, rows), limit, ({ _id }) => _id), total: counted!.total }
}

/** Addresses are compared in any case, as their unique index does. */
function equality(column: string, value: unknown): Sql[] {
  if (value === undefined) return []
  if (value === null) return [sql`${sql.id(column)} is null`]
  if (typeof value === 'boolean') return [value ? sql.id(column) : sql`not ${sql.id(column)}`]
  const text = String(value)
  return [column === 'email' ? sql`lower(email) = lower(${text})` : sql`${sql.id(column)} = ${text}`]
}

/** Lists of the records that operators set up. */
import type { Database } from '../database.ts'
import { foldedContains } from '../queries/contains.ts'
import { type CountedPage, toPage, type Window } from '../queries/keyset.ts'
import { columnsOf, toRows } from '../read_rows.ts'
import { type EntityRef, literal, tableOf } from '../write_set.ts'

/** Values of columns; `undefined` is none. `search`: a part of the name, whatever its case and accents. */
export type RecordFilter<Row> = { [Column in keyof Row]?: Row[Column] | undefined } & { search?: string | undefined }

/**
 * The names by which records are found, by table, as their indexes have them. Parts are separated by a character that no
 * search can contain.
 */
const NAMES: Readonly<Record<string, string>> = {
  company: 'name',
  project: 'name',
  user: `full_name || E'\\x01' || email`,
  token: 'name',
  channel: 'name',
  tag: 'name',
  pipeline: 'name',
  event_type: `name || E'\\x01' || key`,
  custom_field: `name || E'\\x01' || key`,
  canned_response: `shortcut || E'\\x01' || coalesce(title, '')`,
}

/** One page of a table, newest first, and the total number of rows that match the filter and the conditions. */
export async function listRecords<Row extends { _id: string }>(
  database: Database,
  entity: EntityRef<Row>,
  { search, ...exact }: RecordFilter<Row>,
  { limit, offset, cursor }: Window,
  conditions: readonly string[] = [],
): Promise<CountedPage<Row>> {
  const { name } = tableOf(database.orm, entity)
  const all = [...Object.entries(exact).flatMap(([column, value]) => equality(column, value)), ...conditions]
  if (search) all.push(foldedContains(NAMES[name]!, search))
  const from = (wanted: readonly string[]) =>
    `from "${name}" ${wanted.length > 0 ? `where ${wanted.join(' and ')}` : ''}`
  const shown = from(cursor === undefined ? all : [...all, `_id < ${literal(cursor)}`])
  // One after the other: a read has one connection.
  const rows = await database.execute(
    `select ${columnsOf(database, entity)} ${shown} order by _id desc limit ${limit + 1} offset ${offset}`,
  )
  const [counted] = await database.execute<{ total: number }>(`select count(*)::integer as total ${from(all)}`)
  return { ...toPage(toRows(database, entity, rows), limit, ({ _id }) => _id), total: counted!.total }
}

/** Addresses are compared in any case, as their unique index does. */
function equality(column: string, value: unknown): string[] {
  if (value === undefined) return []
  if (value === null) return [`"${column}" is null`]
  if (typeof value === 'boolean') return [value ? `"${column}"` : `not "${column}"`]
  const text = literal(String(value))
  return [column === 'email' ? `lower(email) = lower(${text})` : `"${column}" = ${text}`]
}

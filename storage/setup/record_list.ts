/** Lists of the records that operators set up. */
import type { Database } from '../database.ts'
import { foldedContains } from '../queries/contains.ts'
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
}

/** One page of a table, newest first, and the total number of rows that match the filter and the conditions. */
export async function listRecords<Row extends { _id: string }>(
  database: Database,
  entity: EntityRef<Row>,
  { search, ...exact }: RecordFilter<Row>,
  { limit, offset }: { limit: number; offset: number },
  conditions: readonly string[] = [],
): Promise<{ rows: Row[]; total: number }> {
  const { name } = tableOf(database.orm, entity)
  const all = [...Object.entries(exact).flatMap(([column, value]) => equality(column, value)), ...conditions]
  if (search) all.push(foldedContains(NAMES[name]!, search))
  const from = `from "${name}" ${all.length > 0 ? `where ${all.join(' and ')}` : ''}`
  // One after the other: a read has one connection.
  const rows = await database.execute(
    `select ${columnsOf(database, entity)} ${from} order by _id desc limit ${limit} offset ${offset}`,
  )
  const [counted] = await database.execute<{ total: number }>(`select count(*)::integer as total ${from}`)
  return { rows: toRows(database, entity, rows), total: counted!.total }
}

/** Addresses are compared in any case, as their unique index does. */
function equality(column: string, value: unknown): string[] {
  if (value === undefined) return []
  if (value === null) return [`"${column}" is null`]
  if (typeof value === 'boolean') return [value ? `"${column}"` : `not "${column}"`]
  const text = literal(String(value))
  return [column === 'email' ? `lower(email) = lower(${text})` : `"${column}" = ${text}`]
}

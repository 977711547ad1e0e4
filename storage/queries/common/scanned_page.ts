/**
 * Pages of a list in the order of ids, with conditions that no index serves. A page passes over a bounded number of
 * rows: a value that few rows have would otherwise read the whole history of a project. Such a page has fewer rows than
 * its limit, perhaps none, and its `next_cursor` is the last row that it passed over.
 *
 * Further indexes would make each send dearer, and those that hold a status would rewrite all index entries of a message
 * with each of its statuses.
 */
import type { Database } from '../../database/database.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { type Page, pageUntil, toPage } from './keyset.ts'
import { asFarAsFits, isCut } from './page_size.ts'

/** Rows that one page passes over at most. */
export const MAX_PASSED = 50_000

type Scan = {
  /** The table, or a query in its place. */
  table: Sql
  columns: Sql
  /** Columns of free-form data. */
  large: readonly string[]
  /** Conditions, including the cursor, of an index in the order of ids. */
  along: readonly Sql[]
  /** Conditions on the rows that the index gives. */
  matching: readonly Sql[]
}

/** The newest rows of the scan. One statement, so that no row is passed over without being looked at. */
export async function readScanned<Row extends { id: string }>(
  database: Database,
  { table, columns, large, along, matching }: Scan,
  limit: number,
): Promise<Page<Row>> {
  const way = sql`from ${table} where ${sql.join(along, ' and ')} order by id desc`
  const order = sql`id desc`
  const page = (from: Sql) => asFarAsFits(sql`select ${columns} ${from} limit ${limit + 1}`, { columns, large, order })
  if (matching.length === 0) {
    const rows = await database.execute<Row & { found: number }>(page(way))
    return toPage(rows, limit, ({ id }) => id, isCut(rows))
  }
  const passed = sql`from (select ${columns} ${way} limit ${MAX_PASSED}) passed where ${sql.join(matching, ' and ')} order by ${order}`
  // The end is searched only for a page that is not full, and told even when it is empty.
  const end = sql`select id ${way} offset ${MAX_PASSED - 1} limit 1`
  const found = await database.execute<Row & { found: number; passed_to: string | null }>(sql`
    select page.*, case when coalesce(page.found, 0) <= ${limit} then (${end}) end as passed_to
    from (select) one left join (${page(passed)}) page on true order by page.id desc`)
  const rows = found.filter(({ id }) => id !== null)
  const { data, next_cursor } = toPage(rows, limit, ({ id }) => id, isCut(rows))
  return pageUntil(data, next_cursor ?? found[0]?.passed_to ?? null)
}

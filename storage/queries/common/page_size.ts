/** Bytes of free-form data in one page of a list of the API, or one record that is larger. */
import { type Sql, sql } from '../../sql/sql.ts'

const PAGE_BYTES = 4 * 1024 * 1024

/**
 * SQL of the first rows of a select, as far as the data in their `large` columns fits into a page, but at least one row.
 * `found` of each row is the number of rows of the select. Rows that do not fit stay in the database, so that a page of
 * the largest records costs a node no more memory than any other.
 */
export function asFarAsFits(
  select: Sql,
  { columns, large, order, bytes = PAGE_BYTES }: { columns: Sql; large: readonly string[]; order: Sql; bytes?: number },
): Sql {
  const size = sql.join(
    large.map((column) => sql`coalesce(octet_length(${sql.id(column)}::text), 0)`),
    ' + ',
  )
  return sql`select ${columns}, found::int as found from (
      select *, count(*) over () as found, sum(${size}) over (order by ${order}) - (${size}) as before
      from (${select}) listed
    ) measured where before < ${bytes} order by ${order}`
}

/** True when a select of `asFarAsFits` found more rows than these. */
export function isCut(rows: readonly Record<string, unknown>[]): boolean {
  return rows.length > 0 && rows.length < Number(rows[0]!.found)
}

import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import { Rate } from '../../entities/messages/rate.ts'
import { sql } from '../../sql/sql.ts'

/** All rates, by market and category, the latest first. There are some hundreds for each time they were loaded. */
export async function listRates(
  database: Database,
  conditions: { market?: string; category?: string } = {},
): Promise<Rate[]> {
  const where = Object.entries(conditions).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${sql.id(column)} = ${value}`],
  )
  const filter = where.length > 0 ? sql`where ${sql.join(where, ' and ')}` : sql``
  const rows = await database.execute(
    sql`select ${columnsOf(database, Rate)} from rate ${filter} order by market, category, valid_from desc`,
  )
  return toRows(database, Rate, rows).map((rate) => ({ ...rate, amount: Number(rate.amount) }))
}

/** The currency of all rates; null when none are loaded. */
export async function findRateCurrency(database: Database): Promise<string | null> {
  const [row] = await database.execute<{ currency: string }>(sql`select currency from rate limit 1`)
  return row?.currency ?? null
}

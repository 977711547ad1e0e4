/** What the reads of a trace share: bounds, and counts of the rows beyond them. */
import type { Database } from '../../database/database.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { objectIdAt } from '../../values/ids.ts'

/** Rows beyond these are not counted. */
export const COUNTED = 100_000

/** Ids may be a second or two ahead of the time of their row. */
export const SLACK_MS = 2_000

/** `more`: the number of rows that are there beyond those that were read. `unsearched`: of rows that were not looked at. */
export type Found<Row> = { rows: Row[]; more: number; unsearched?: number }

/** The number of rows beyond `most`, where more than these were found. */
export async function moreThan(database: Database, found: number, most: number, from: Sql): Promise<number> {
  if (found <= most) return 0
  const [row] = await database.execute<{ count: number }>(
    sql`select count(*)::int as count from (select 1 from ${from} limit ${COUNTED}) counted`,
  )
  return row!.count - most
}

type Span<Item> = { from: number; until: number; items: Item[] }

/** The spans from `SLACK_MS` before each item until `later_ms` after it, joined where they overlap. `items` ascend by `timeOf`. */
export function spansOf<Item>(items: readonly Item[], timeOf: (item: Item) => number, later_ms: number): Span<Item>[] {
  const spans: Span<Item>[] = []
  for (const item of items) {
    const last = spans.at(-1)
    const [from, until] = [timeOf(item) - SLACK_MS, timeOf(item) + later_ms]
    if (last && from <= last.until) {
      last.until = until
      last.items.push(item)
    } else spans.push({ from, until, items: [item] })
  }
  return spans
}

export const idAt = (prefix: string, ms: number) => `${prefix}_${objectIdAt(new Date(ms))}`

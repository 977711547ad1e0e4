/** The newest dead letters, as a list and by type: any number of them costs the same. */
import type { Database } from '../../database/database.ts'
import { sql } from '../../sql/sql.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'
import type { DeadLetterSummary } from './dead_letters.ts'

const MAX_COUNTED = 10_000
const MAX_GROUPS = 100

export type DeadLetterGroup = {
  kind: string
  type: string | null
  count: number
  newest_at: string
  oldest_at: string
  /** First line of the newest error, without secrets that the caller hides. */
  error: string
}

const KIND = sql`split_part(address, '/', 1)`
const TYPE = sql`dead_letter_type(message)`
const LINE = sql`left(split_part(error, E'\\n', 1), 300)`

/** One page, newest first. */
export async function listRecentDeadLetters(
  database: Database,
  { kind, type }: { kind?: string | undefined; type?: string | undefined },
  { limit, cursor }: PageOptions,
): Promise<Page<DeadLetterSummary>> {
  const conditions = [
    kind !== undefined && sql`kind = ${kind}`,
    type !== undefined && sql`type = ${type}`,
    cursor !== undefined && sql`id < ${cursor}::bigint`,
  ].filter((one) => one !== false)
  const rows = await database.execute<DeadLetterSummary>(sql`
    select id::text, parked_at, kind, address, type, sender, error from (
      select id, parked_at, ${KIND} as kind, address, ${TYPE} as type, sender, ${LINE} as error
      from dead_letter order by id desc limit ${MAX_COUNTED}
    ) newest ${conditions.length > 0 ? sql`where ${sql.join(conditions, ' and ')}` : sql``}
    order by newest.id desc limit ${limit + 1}`)
  const records = rows.map((row) => ({ ...row, parked_at: new Date(row.parked_at).toISOString() }))
  return toPage(records, limit, ({ id }) => id)
}

/** The groups by their number of letters, largest first. */
export async function groupDeadLetters(
  database: Database,
): Promise<{ groups: DeadLetterGroup[]; counted: number; is_complete: boolean }> {
  const rows = await database.execute<DeadLetterGroup & { counted: number }>(sql`
    with newest as materialized (
      select id, parked_at, ${KIND} as kind, ${TYPE} as type, error
      from dead_letter order by id desc limit ${MAX_COUNTED + 1})
    select kind, type, count(*)::integer as count, max(parked_at) as newest_at, min(parked_at) as oldest_at,
      left(split_part((array_agg(error order by id desc))[1], E'\\n', 1), 300) as error,
      (select count(*) from newest)::integer as counted
    from newest group by kind, type order by count desc, kind, type limit ${MAX_GROUPS}`)
  const counted = rows[0]?.counted ?? 0
  const groups = rows.map(({ counted: _, newest_at, oldest_at, ...group }) => ({
    ...group,
    newest_at: new Date(newest_at).toISOString(),
    oldest_at: new Date(oldest_at).toISOString(),
  }))
  return { groups, counted: Math.min(counted, MAX_COUNTED), is_complete: counted <= MAX_COUNTED }
}

import { type Sql, sql } from '../../sql/sql.ts'
import { objectIdAt } from '../../values/ids.ts'

/** Created at or after `since`, and before `until`; ISO 8601. */
export type TimeRange = { since?: string | undefined; until?: string | undefined }

/**
 * Milliseconds by which the moment of an id may differ from the `created_at` of its row: an id is made during the turn
 * whose beginning is `created_at`, by a clock that may be a little ahead (`values/ids.ts`).
 */
const SLACK_MS = 60_000

/**
 * Conditions on rows whose ids are made when they are created. The bounds of the ids lead an index in their order to the
 * range, so that rows outside are passed over without being read, but for those of a minute at each end.
 */
export function createdWithin(
  { since, until }: TimeRange,
  { id, prefix = '', alias }: { id: 'id' | '_id'; prefix?: '' | 'msg_' | 'dlv_'; alias?: string },
): Sql[] {
  const column = (name: string) => (alias === undefined ? sql.id(name) : sql`${sql.id(alias)}.${sql.id(name)}`)
  const bound = (time: string, ms: number) => prefix + objectIdAt(new Date(Date.parse(time) + ms))
  const conditions: Sql[] = []
  if (since !== undefined) {
    conditions.push(sql`${column('created_at')} >= ${since}`, sql`${column(id)} >= ${bound(since, -SLACK_MS)}`)
  }
  if (until !== undefined) {
    conditions.push(sql`${column('created_at')} < ${until}`, sql`${column(id)} < ${bound(until, SLACK_MS + 1000)}`)
  }
  return conditions
}

import { objectIdAt } from '../ids.ts'
import { literal } from '../write_set.ts'

/** Created at or after `since`, and before `until`; ISO 8601. */
export type TimeRange = { since?: string | undefined; until?: string | undefined }

/**
 * Milliseconds by which the moment of an id may differ from the `created_at` of its row: an id is made during the turn
 * whose beginning is `created_at`, by a clock that may be a little ahead (`ids.ts`).
 */
const SLACK_MS = 60_000

/**
 * Conditions on rows whose ids are made when they are created. The bounds of the ids lead an index in their order to the
 * range, so that rows outside are passed over without being read, but for those of a minute at each end.
 */
export function createdWithin(
  { since, until }: TimeRange,
  { id, prefix = '', alias }: { id: 'id' | '_id'; prefix?: '' | 'msg_' | 'dlv_'; alias?: string },
): string[] {
  const column = (name: string) => (alias === undefined ? name : `${alias}.${name}`)
  const bound = (time: string, ms: number) => literal(prefix + objectIdAt(new Date(Date.parse(time) + ms)))
  const conditions: string[] = []
  if (since !== undefined) {
    conditions.push(`${column('created_at')} >= ${literal(since)}`, `${column(id)} >= ${bound(since, -SLACK_MS)}`)
  }
  if (until !== undefined) {
    conditions.push(`${column('created_at')} < ${literal(until)}`, `${column(id)} < ${bound(until, SLACK_MS + 1000)}`)
  }
  return conditions
}

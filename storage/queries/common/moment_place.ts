/** Places in lists that are ordered by a moment, and then by id. */
import { type Sql, sql } from '../../sql/sql.ts'

/**
 * The place after a record in such a list: its id, with the moment before it (`<milliseconds>-<id>`) where that decides on the
 * order. Ids are in the order of creation.
 */
export const MOMENT_PLACE = /^(?:(\d{1,15})-)?([0-9a-f]{24})$/

type Order = 'asc' | 'desc'

/** The place of a record; `moment` is undefined where its id decides alone. */
export function momentPlace(id: string, moment: Date | undefined): string {
  return moment === undefined ? id : `${moment.getTime()}-${id}`
}

/** The condition of the records after a place; `moment` is undefined where ids decide alone. */
export function isAfter(place: string, { moment, id }: { moment: Sql | undefined; id: Sql }, order: Order): Sql {
  const [, ms, _id] = MOMENT_PLACE.exec(place)!
  const than = order === 'asc' ? sql`>` : sql`<`
  if (moment === undefined) return sql`${id} ${than} ${_id!}`
  return sql`(${moment}, ${id}) ${than} (${new Date(Number(ms))}::timestamptz, ${_id!})`
}

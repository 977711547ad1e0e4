/**
 * Chooses the tickets of a page of the inbox, from `inbox_entry` and what the agent has read.
 *
 * - Each filter has an index in the order of the page, so the cost does not depend on how many tickets match.
 * - No index knows what an agent has read, nor finds texts of one or two characters. These are looked for among the next
 *   entries of the page's order. When there are more, the last one that was looked at comes with `is_match: false`, and
 *   the next page goes on from there.
 * - Longer texts are looked for among the next entries first, where a frequent one is found. For a rare one, the index
 *   of contacts finds the people.
 */

import { type Sql, sql } from '../../sql/sql.ts'
import { contactContains } from '../common/contains.ts'

export type InboxChoice = {
  project_id: string
  user_id: string
  /** On `inbox_entry e`. */
  conditions: Sql[]
  /** The times by which the page is sorted. */
  column: 'last_activity_at' | 'waiting_since'
  direction: 'asc' | 'desc'
  most: number
  is_unread: boolean | undefined
  search: string | undefined
}

/** A row of the choice. `at`: the time by which it is sorted. */
export type Chosen = { ticket_id: string; at: string; is_match: boolean }

/** Entries looked at for what no index finds. */
const WALK = 4000
/** Entries looked at before the index of contacts is used. */
const FIRST_WALK = 2000
/** Maximum people found by the index of contacts. */
const PEOPLE = 2000
/** The index of contacts finds texts from this length on. */
const INDEXED = 3

/** The mark up to which the agent has read `inbox_entry e`. */
export function readBy(user_id: string): Sql {
  return sql`left join ticket_read r on r.ticket_id = e.ticket_id and r.user_id = ${user_id}`
}

/** The condition for `readBy`. */
export const UNREAD = sql`e.inbound_count > coalesce(r.read_count, 0)`

/** A query for `Chosen` rows, in no order. */
export function choose(choice: InboxChoice): Sql {
  const { project_id, user_id, conditions, column, direction, most, is_unread, search } = choice
  const where = sql.join(conditions, ' and ')
  const order = orderBy(column, direction)
  const chosen = sql`e.ticket_id, e.${sql.id(column)} as at, true as is_match`
  if (is_unread === undefined && !search) {
    return sql`select ${chosen} from inbox_entry e where ${where} ${order} limit ${most}`
  }
  const is_indexed = [...(search ?? '')].length >= INDEXED
  const walk = is_indexed ? FIRST_WALK : WALK
  const read = is_unread === undefined ? sql`` : readBy(user_id)
  const is_wanted = is_unread === undefined ? sql`true` : is_unread ? UNREAD : sql`not ${UNREAD}`
  const mine = sql`c.project_id = ${project_id}`
  const people = search
    ? sql`join ticket t on t._id = e.ticket_id join contact c on c._id = t.chat_user and ${mine}`
    : sql``
  const is_found = search ? contactContains(sql`c`, search) : sql`true`
  const walked = sql`
    with walked as materialized (select e.* from inbox_entry e where ${where} ${order} limit ${walk}),
    found as materialized (select ${chosen} from walked e ${read} ${people}
      where ${is_wanted} and ${is_found} ${order} limit ${most})`
  const has_more = sql`(select count(*) from walked) = ${walk} and (select count(*) from found) < ${most}`
  if (!search || !is_indexed) {
    const back = orderBy(column, direction === 'asc' ? 'desc' : 'asc')
    return sql`${walked} table found union all
      (select e.ticket_id, e.${sql.id(column)}, false from walked e where ${has_more} ${back} limit 1)`
  }
  // Offsets fix the way from people to tickets to entries: estimates for a frequent text would have all entries scanned.
  return sql`${walked}, people as materialized (
      select c._id from contact c where ${mine} and ${has_more}
        and ${is_found} limit ${PEOPLE}
    ), indexed as materialized (
      select ${chosen} from people
        cross join lateral (select t._id from ticket t where t.chat_user = people._id offset 0) t
        cross join lateral (select * from inbox_entry where ticket_id = t._id offset 0) e ${read}
      where ${where} and ${is_wanted} and ${has_more} ${order} limit ${most}
    )
    select * from found where not (${has_more}) union all table indexed`
}

function orderBy(column: InboxChoice['column'], direction: 'asc' | 'desc'): Sql {
  return sql`order by e.${sql.id(column)} ${sql.direction(direction)}, e.ticket_id ${sql.direction(direction)}`
}

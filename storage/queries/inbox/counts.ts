import type { Database } from '../../database/database.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { readBy, UNREAD } from './choice.ts'
import { type InboxFilter, inboxConditions } from './inbox.ts'

/** Tickets of a view beyond this number are not counted. */
export const MAX_TICKETS = 1000
/** Unread tickets are counted among this many of a view, those with the latest activity. */
const SEARCHED = 1000
/** Unread tickets beyond this number are not counted. */
export const MAX_UNREAD_TICKETS = 100

export type InboxCount = { tickets: number; unread: number }

/** The order of an index, which is read no further than necessary. */
const ORDER = sql`order by e.last_activity_at desc, e.ticket_id desc`

const VIEWS = {
  mine: { view: 'mine' },
  unassigned: { view: 'unassigned' },
  all: { view: 'all' },
  snoozed: { view: 'all', is_snoozed: true },
} satisfies Record<string, InboxFilter>

/** Numbers of open tickets, and of those with messages that the agent has not read. */
export async function countInbox(
  database: Database,
  { project_id, user_id }: { project_id: string; user_id: string },
): Promise<Record<keyof typeof VIEWS, InboxCount>> {
  const most = { tickets: MAX_TICKETS, unread: MAX_UNREAD_TICKETS }
  const counted = Object.entries(VIEWS).map(([name, filter]) =>
    countOfFilter({ project_id, user_id }, name, filter, most),
  )
  const rows = await database.execute<InboxCount & { name: keyof typeof VIEWS }>(sql.join(counted, ' union all '))
  return Object.fromEntries(rows.map(({ name, ...count }) => [name, count])) as Record<keyof typeof VIEWS, InboxCount>
}

/**
 * A query for one row: `name`, and the counts of a filter up to `most`, without its `is_unread` and `search`.
 */
export function countOfFilter(
  { project_id, user_id }: { project_id: string; user_id: string },
  name: string,
  filter: InboxFilter,
  most: InboxCount,
): Sql {
  const where = sql.join(inboxConditions(project_id, user_id, filter), ' and ')
  return sql`
    select ${name} as name,
      (select count(*)::integer from (select from inbox_entry e where ${where} ${ORDER} limit ${most.tickets}) counted) as tickets,
      (select count(*)::integer from (
        select from (select e.* from inbox_entry e where ${where} ${ORDER} limit ${SEARCHED}) e
          ${readBy(user_id)} where ${UNREAD} limit ${most.unread}) counted) as unread`
}

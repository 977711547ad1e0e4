/**
 * The tickets of a bulk action, chosen before it begins. The node that took the request stores them in a transaction of
 * its own; the project begins the action afterwards, and slices without an action are dropped after a day.
 */

import type { Database } from './database/database.ts'
import { contactContains } from './queries/common/contains.ts'
import { readBy, UNREAD } from './queries/inbox/choice.ts'
import { type InboxFilter, inboxConditions } from './queries/inbox/inbox.ts'
import { type TicketFilter, ticketConditions } from './queries/tickets/ticket_views.ts'
import { IS_AGENT } from './sessions/console_sessions.ts'
import { type Sql, sql } from './sql/sql.ts'

/** Tickets in a slice, which are changed in one turn. */
const SLICE = 25
const ABANDONED_S = 24 * 3600
const PAGE = 1000

/**
 * The tickets of a bulk action: those of a list of tickets, those of the agent's inbox, or those that are named.
 * `is_waiting`: only those whose person waits for an answer.
 */
export type BulkChoice =
  | { tickets: TicketFilter }
  | { inbox: InboxFilter & { is_waiting?: boolean | undefined } }
  | { ticket_ids: readonly string[] }

type Asking = { project_id: string; user_id: string }

/**
 * Chooses the tickets and stores them in slices, in the order of their creation. Returns their number. Stores nothing when
 * they are more than `most`, or not `expected`.
 */
export async function storeBulkSlices(
  database: Database,
  { id, ...asking }: Asking & { id: string },
  choice: BulkChoice,
  { most, expected }: { most: number; expected?: number | undefined },
): Promise<number> {
  const [row] = await database.execute<{ total: number }>(sql`
    with chosen as materialized (${chosen(asking, choice)} order by 1 limit ${most + 1}),
    counted as (select count(*)::int as total from chosen),
    numbered as (select ticket_id, (row_number() over (order by ticket_id) - 1)::int as n from chosen),
    stored as (
      insert into bulk_action_slice (bulk_action_id, first, ticket_ids)
      select ${id}, n / ${SLICE} * ${SLICE}, array_agg(ticket_id order by n) from numbered, counted
      where total <= ${most}${expected === undefined ? sql`` : sql` and total = ${expected}`} group by n / ${SLICE}
    )
    select total from counted`)
  return row!.total
}

/** The number of tickets that an action would change now, at most `most` and one more. */
export async function countBulkTickets(
  database: Database,
  asking: Asking,
  choice: BulkChoice,
  most: number,
): Promise<number> {
  const [row] = await database.execute<{ total: number }>(
    sql`select count(*)::int as total from (${chosen(asking, choice)} limit ${most + 1}) found`,
  )
  return row!.total
}

function chosen({ project_id, user_id }: Asking, choice: BulkChoice): Sql {
  if ('tickets' in choice) {
    return sql`select t._id as ticket_id from ticket t where ${sql.join(ticketConditions(project_id, choice.tickets), ' and ')}`
  }
  if ('inbox' in choice) {
    const { is_waiting, ...filter } = choice.inbox
    const conditions = inboxConditions(project_id, user_id, filter)
    const { is_unread, search } = filter
    if (is_waiting) conditions.push(sql`e.waiting_since is not null`)
    if (is_unread !== undefined) conditions.push(is_unread ? UNREAD : sql`not ${UNREAD}`)
    if (search) conditions.push(sql`t.chat_user in (${peopleNamed(project_id, search)})`)
    return sql`select e.ticket_id from inbox_entry e join ticket t on t._id = e.ticket_id ${readBy(user_id)}
      where ${sql.join(conditions, ' and ')}`
  }
  // One that does not exist is refused like any other, so that it is counted.
  return sql`select distinct ticket_id from unnest(array[${sql.list(choice.ticket_ids)}]::text[]) as ticket_id`
}

/** Contacts whose name, phone or id has the text, as the list of the inbox finds them. */
function peopleNamed(project_id: string, search: string): Sql {
  return sql`select c._id from contact c where c.project_id = ${project_id} and ${contactContains(sql`c`, search)}`
}

/** `done`: the tickets done so far. Without `first` there is no slice. `is_agent`: the user may still work in the console. */
export type NextSlice = { done: number; first: number | null; ticket_ids: string[] | null; is_agent: boolean }

/** The tickets that are done next. Rows before them may be lost. Undefined when the action is over. */
export async function nextBulkSlice(database: Database, id: string): Promise<NextSlice | undefined> {
  const [row] = await database.execute<NextSlice>(sql`
    select a.done_count as done, s.first, s.ticket_ids,
      exists (select from "user" u where u._id = a.user_id and u.company_id = a.company_id and ${IS_AGENT}) as is_agent
    from bulk_action a left join lateral (
      select first, ticket_ids from bulk_action_slice
      where bulk_action_id = a.id and first >= a.done_count order by first limit 1) s on true
    where a.id = ${id} and a.status = 'running'`)
  return row
}

/** Drops the slices of an action that did not begin. */
export async function dropUnusedBulkSlices(database: Database, id: string): Promise<void> {
  await database.execute(sql`delete from bulk_action_slice s where bulk_action_id = ${id}
    and not exists (select from bulk_action a where a.id = s.bulk_action_id)`)
}

/** Drops the slices of actions that were cancelled, or whose node died before they began. */
export async function dropBulkSlicesLeft(database: Database): Promise<void> {
  const before = sql`lpad(to_hex(extract(epoch from now())::bigint - ${ABANDONED_S}), 8, '0')`
  await database.execute(sql`delete from bulk_action_slice s where bulk_action_id < ${before}
    and not exists (select from bulk_action a where a.id = s.bulk_action_id and a.status = 'running')`)
}

/** Drops bulk actions that ended more than `days` days ago. */
export async function forgetBulkActions(database: Database, days: number): Promise<void> {
  for (let count = PAGE; count === PAGE; ) {
    const rows = await database.execute(sql`
      with gone as (
        delete from bulk_action where id in (
          select id from bulk_action where status <> 'running' and updated_at < now() - ${days} * interval '1 day'
          limit ${PAGE} for update skip locked)
        returning id),
      slices as (delete from bulk_action_slice s using gone where s.bulk_action_id = gone.id)
      select id from gone`)
    count = rows.length
  }
}

import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import { Contact } from '../../entities/people/contact.ts'
import { Ticket } from '../../entities/tickets/ticket.ts'
import { type Sql, sql } from '../../sql/sql.ts'

/** A ticket with the fields that change with its messages. */
export type ActiveTicket = Ticket & {
  unread_count: number
  last_activity_at: Date
  inbound_count: number
  waiting_since: Date | null
  /** As in the inbox. Null where the ticket is only shown, not changed. */
  snoozed_at: Date | null
  snoozed_until: Date | null
  /** A message of the person cancels scheduled messages. False where the ticket is only shown. */
  cancels_on_answer: boolean
  /** As in the inbox. Null and 0 where the ticket is only shown. */
  failed_at: Date | null
  answered_since: Date | null
  answer_count: number
}

/** The columns of `ticket_activity a` in an active ticket. */
export const ACTIVITY_COLUMNS = sql`a.unread_count, a.last_activity_at, a.inbound_count, a.waiting_since`

/** The columns of an active ticket beside those of `ticket t`, for turns that may change it, with their tables. */
export const OF_TURNS = {
  columns: sql`${ACTIVITY_COLUMNS}, e.snoozed_at, e.snoozed_until, e.cancels_on_answer, e.failed_at, e.answered_since,
    e.answer_count`,
  joins: sql`left join ticket_activity a on a.ticket_id = t._id left join inbox_entry e on e.ticket_id = t._id`,
}

/**
 * Tickets of a project by their ids, for all messages of a turn at once. A closed ticket comes with the open one of its
 * contact, which prevents reopening it. Tickets of other projects are left out.
 */
export async function readTickets(
  database: Database,
  project_id: string,
  ids: Iterable<string>,
): Promise<ActiveTicket[]> {
  const mine = sql`from ticket where project_id = ${project_id}`
  const named = sql`${mine} and _id in (${listOf(ids)})`
  const columns = columnsOf(database, Ticket)
  const rows = await database.execute(sql`
    select t.*, ${OF_TURNS.columns} from (
      select ${columns} ${named}
      union all select ${columns} ${mine} and not is_closed and chat_user in (select chat_user ${named} and is_closed)) t
    ${OF_TURNS.joins}`)
  return toRows(database, Ticket, rows).map((row) => toActiveTicket(row as ActiveTicket))
}

/** The contacts of these tickets. */
export async function readContactsOf(
  database: Database,
  project_id: string,
  ticket_ids: Iterable<string>,
): Promise<Contact[]> {
  const mine = sql`project_id = ${project_id}`
  const theirs = sql`select chat_user from ticket where ${mine} and _id in (${listOf(ticket_ids)})`
  const query = sql`select ${columnsOf(database, Contact)} from contact where ${mine} and _id in (${theirs})`
  return toRows(database, Contact, await database.execute(query))
}

/** Converts the text values of a raw row. */
export function toActiveTicket(row: ActiveTicket): ActiveTicket {
  const { amount, unread_count, last_activity_at, inbound_count, waiting_since, snoozed_at, snoozed_until } = row
  row.amount = amount === null ? null : Number(amount)
  row.unread_count = unread_count ?? 0
  row.inbound_count = inbound_count ?? 0
  row.waiting_since = waiting_since ? new Date(waiting_since) : null
  row.snoozed_at = snoozed_at ? new Date(snoozed_at) : null
  row.snoozed_until = snoozed_until ? new Date(snoozed_until) : null
  row.cancels_on_answer ??= false
  row.failed_at = row.failed_at ? new Date(row.failed_at) : null
  row.answered_since = row.answered_since ? new Date(row.answered_since) : null
  row.answer_count ??= 0
  row.last_activity_at = last_activity_at ? new Date(last_activity_at) : row.created_at
  return row
}

function listOf(ids: Iterable<string>): Sql {
  return sql.list([...ids])
}

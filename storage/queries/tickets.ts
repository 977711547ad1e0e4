import type { Database } from '../database.ts'
import { Contact } from '../entities/contact.ts'
import { Ticket } from '../entities/ticket.ts'
import { columnsOf, toRows } from '../read_rows.ts'
import { literal } from '../write_set.ts'

/** A ticket with the fields that change with its messages. */
export type ActiveTicket = Ticket & { unread_count: number; last_activity_at: Date }

/**
 * Tickets of a project by their ids, for all messages of a turn at once. A closed ticket comes with the open one of its
 * contact, which prevents reopening it. Tickets of other projects are left out.
 */
export async function readTickets(
  database: Database,
  project_id: string,
  ids: Iterable<string>,
): Promise<ActiveTicket[]> {
  const mine = `from ticket where project_id = ${literal(project_id)}`
  const named = `${mine} and _id in (${listOf(ids)})`
  const columns = columnsOf(database, Ticket)
  const rows = await database.execute(`
    select t.*, a.unread_count, a.last_activity_at from (
      select ${columns} ${named}
      union all select ${columns} ${mine} and not is_closed and chat_user in (select chat_user ${named} and is_closed)) t
    left join ticket_activity a on a.ticket_id = t._id`)
  return toRows(database, Ticket, rows).map((row) => toActiveTicket(row as ActiveTicket))
}

/** The contacts of these tickets. */
export async function readContactsOf(
  database: Database,
  project_id: string,
  ticket_ids: Iterable<string>,
): Promise<Contact[]> {
  const mine = `project_id = ${literal(project_id)}`
  const theirs = `select chat_user from ticket where ${mine} and _id in (${listOf(ticket_ids)})`
  const sql = `select ${columnsOf(database, Contact)} from contact where ${mine} and _id in (${theirs})`
  return toRows(database, Contact, await database.execute(sql))
}

/** Converts the text values of a raw row. */
export function toActiveTicket(row: ActiveTicket): ActiveTicket {
  const { amount, unread_count, last_activity_at } = row
  row.amount = amount === null ? null : Number(amount)
  row.unread_count = unread_count ?? 0
  row.last_activity_at = last_activity_at ? new Date(last_activity_at) : row.created_at
  return row
}

function listOf(ids: Iterable<string>): string {
  return [...ids].map(literal).join()
}

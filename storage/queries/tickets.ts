import type { Database } from '../database.ts'
import { Ticket } from '../entities/ticket.ts'
import { toRows } from '../read_rows.ts'
import { literal } from '../write_set.ts'

/** A ticket with what moves with its messages. */
export type ActiveTicket = Ticket & { unread_count: number; last_activity_at: Date }

/** Which tickets a turn needs. */
export type TicketWants = {
  /** By their own id; with a closed one comes the open one of its contact, which is in the way of reopening it. */
  ids: Iterable<string>
  /** The open ones of these contacts. */
  contacts: Iterable<string>
  /** The open ones of contacts of the project with these phones. */
  phones: Iterable<string>
  /** The open ones of contacts of the project that belong to these customers. */
  customers: Iterable<string>
}

/** The tickets of a project, read for all messages of a turn at once. One of another project is not among them. */
export async function readTickets(
  database: Database,
  project_id: string,
  { ids, contacts, phones, customers }: TicketWants,
): Promise<ActiveTicket[]> {
  const open = `select * from ticket where project_id = ${literal(project_id)} and not is_closed and chat_user in`
  const contact = `select _id from contact where project_id = ${literal(project_id)} and`
  const named = (list: string) => `from ticket where project_id = ${literal(project_id)} and _id in (${list})`
  const parts = [
    part(ids, (list) => `select * ${named(list)}`),
    part(ids, (list) => `${open} (select chat_user ${named(list)} and is_closed)`),
    part(contacts, (list) => `${open} (${list})`),
    part(phones, (list) => `${open} (${contact} phone in (${list}))`),
    part(customers, (list) => `${open} (${contact} customer_id in (${list}))`),
  ].filter((sql) => sql !== undefined)
  if (parts.length === 0) return []
  const rows = await database.execute(`
    select t.*, a.unread_count, a.last_activity_at from (${parts.join(' union all ')}) t
    left join ticket_activity a on a.ticket_id = t._id`)
  return toRows(database, Ticket, rows).map((row) => toActiveTicket(row as ActiveTicket))
}

/** A raw row, with what the driver gives as text. */
export function toActiveTicket(row: ActiveTicket): ActiveTicket {
  const { amount, unread_count, last_activity_at } = row
  row.amount = amount === null ? null : Number(amount)
  row.unread_count = unread_count ?? 0
  row.last_activity_at = last_activity_at ? new Date(last_activity_at) : row.created_at
  return row
}

function part(values: Iterable<string>, sql: (list: string) => string): string | undefined {
  const list = [...values].map(literal).join()
  return list === '' ? undefined : sql(list)
}

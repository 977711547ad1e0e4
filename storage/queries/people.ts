import type { Database } from '../database.ts'
import { Contact } from '../entities/contact.ts'
import { Ticket } from '../entities/ticket.ts'
import { conditions, toRows, type Where } from '../read_rows.ts'
import { literal } from '../write_set.ts'
import { type ActiveTicket, toActiveTicket } from './tickets.ts'

export type Acquaintance = { contact: Contact; open_ticket: ActiveTicket | null }

/**
 * The contacts for which any of `where` holds, each with its open ticket when that is one of the project. One query: for 20
 * contacts of whom half have a ticket it costs 0.1 ms of CPU more than the contacts alone, where a second one costs 0.5 ms.
 */
export async function readPeople(
  database: Database,
  project_id: string,
  ...where: Where<Contact>[]
): Promise<Acquaintance[]> {
  const rows = await database.execute(`
    select contact.*, (select row_to_json(o) from (
      select t.*, a.unread_count, a.last_activity_at from ticket t left join ticket_activity a on a.ticket_id = t._id
      where t.chat_user = contact._id and not t.is_closed and t.project_id = ${literal(project_id)}) o) as open_ticket
    from contact where ${conditions(where)}`)
  return toRows(database, Contact, rows).map(
    ({ open_ticket, ...contact }: Contact & { open_ticket?: ActiveTicket }) => ({
      contact,
      open_ticket: open_ticket ? toActiveTicket(toRows(database, Ticket, [open_ticket])[0] as ActiveTicket) : null,
    }),
  )
}

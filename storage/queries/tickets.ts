import type { Database } from '../database.ts'
import type { Contact } from '../entities/contact.ts'
import type { Tag } from '../entities/tag.ts'
import { Ticket } from '../entities/ticket.ts'
import type { User } from '../entities/user.ts'
import { toRows } from '../read_rows.ts'
import { literal } from '../write_set.ts'

/** A ticket with what moves with its messages. */
export type ActiveTicket = Ticket & { unread_count: number; last_activity_at: Date }

/** Which tickets a turn needs. */
export type TicketWants = {
  /** By their own id; of a closed one the contact's open ticket too, whichever project has it. */
  ids: Iterable<string>
  /** The open ones of these contacts. */
  contacts: Iterable<string>
  /** The open ones of contacts of the project with these phones. */
  phones: Iterable<string>
  /** The open ones of contacts of the project that belong to these customers. */
  customers: Iterable<string>
}

/**
 * The tickets of a project, read for all messages of a turn at once. One of another project is among them only where it
 * stands in the way of reopening one of these.
 */
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
    part(ids, (list) => {
      const people = `select chat_user ${named(list)} and is_closed`
      return `select * from ticket where not is_closed and chat_user in (${people})`
    }),
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

/** A ticket with all that its record shows of others. */
export type TicketView = {
  ticket: ActiveTicket
  contact: Pick<Contact, 'name' | 'avatar' | 'channel_type' | 'channel_id'> | undefined
  tags: Map<string, Pick<Tag, 'name' | 'color'>>
  users: Map<string, Pick<User, '_id' | 'full_name' | 'email'>>
}

/** The ticket with this id, or undefined when the project has none. */
export async function findTicket(database: Database, project_id: string, _id: string): Promise<TicketView | undefined> {
  const where = `_id = ${literal(_id)} and project_id = ${literal(project_id)}`
  const [row] = await database.execute<ViewRow>(viewsOf(`select * from ticket where ${where}`))
  return row && toView(database, row)
}

type ViewRow = Record<string, unknown> & {
  contact: TicketView['contact'] | null
  assignee: Pick<User, '_id' | 'full_name' | 'email'> | null
  tags: Pick<Tag, '_id' | 'name' | 'color'>[] | null
}

/** Looks up beside the chosen tickets what their records show. */
function viewsOf(tickets: string): string {
  return `
    select t.*, a.unread_count, a.last_activity_at,
      (select json_build_object('name', c.name, 'avatar', c.avatar, 'channel_type', c.channel_type,
        'channel_id', c.channel_id) from contact c where c._id = t.chat_user) as contact,
      (select json_build_object('_id', u._id, 'full_name', u.full_name, 'email', u.email)
        from "user" u where u._id = t.assigned_to) as assignee,
      (select json_agg(json_build_object('_id', g._id, 'name', g.name, 'color', g.color))
        from tag g where g._id = any(t.tag_ids) and g.project_id = t.project_id) as tags
    from (${tickets}) t left join ticket_activity a on a.ticket_id = t._id`
}

function toView(database: Database, { contact, assignee, tags, ...row }: ViewRow): TicketView {
  const [ticket] = toRows(database, Ticket, [row])
  return {
    ticket: toActiveTicket(ticket as ActiveTicket),
    contact: contact ?? undefined,
    tags: new Map(tags?.map((tag) => [tag._id, tag])),
    users: new Map(assignee ? [[assignee._id, assignee]] : []),
  }
}

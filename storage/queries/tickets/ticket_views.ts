/** Tickets with the related fields that their records show, read in one query. */
import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import type { User } from '../../entities/access/user.ts'
import type { Contact } from '../../entities/people/contact.ts'
import type { Tag } from '../../entities/tickets/tag.ts'
import { Ticket, type TicketHandler } from '../../entities/tickets/ticket.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { type CountedPage, toPage, type Window } from '../common/keyset.ts'
import { isAfter, momentPlace } from '../common/moment_place.ts'
import { hasExactly } from '../common/survivor.ts'
import { createdWithin, type TimeRange } from '../common/time_range.ts'
import { handledBy } from './handled_by.ts'
import { ACTIVITY_COLUMNS, type ActiveTicket, toActiveTicket } from './tickets.ts'

export type TicketView = {
  ticket: ActiveTicket
  contact: Pick<Contact, 'name' | 'avatar' | 'channel_type' | 'channel_id'> | undefined
  tags: Map<string, Pick<Tag, 'name' | 'color'>>
  users: Map<string, Pick<User, '_id' | 'full_name' | 'email'>>
}

/** Columns of text, whose exact value a list may ask for; null for tickets that have none. */
type TextColumn = {
  [Column in keyof Ticket & string]: Ticket[Column] extends string | null | undefined ? Column : never
}[keyof Ticket & string]

export type TicketFilter = TimeRange &
  Partial<Pick<Ticket, Exclude<TextColumn, 'project_id' | 'handled_by'>>> & {
    handled_by?: TicketHandler | undefined
    is_closed?: boolean | undefined
    pipeline_id?: string | undefined
    tag_id?: string | undefined
  }

/** Ids are in the order of creation. */
const moments = {
  created_at: undefined,
  updated_at: sql`t.updated_at`,
  last_activity_at: sql`coalesce(a.last_activity_at, t.created_at)`,
}

export type TicketSort = keyof typeof moments

type TicketPage = Window & { sort: TicketSort; order?: 'asc' | 'desc' }

const ACTIVITY = sql`left join ticket_activity a on a.ticket_id = t._id`

/** The ticket with this id, or undefined when the project has none. */
export async function findTicket(database: Database, project_id: string, _id: string): Promise<TicketView | undefined> {
  const found = sql`ticket t ${ACTIVITY} where t._id = ${_id} and t.project_id = ${project_id}`
  const [row] = await database.execute<ViewRow>(sql`select ${columns(database)} from ${found}`)
  return row && toView(database, row)
}

/** Tickets of the project by `sort`, newest first unless `order` says otherwise, and their total number. */
export async function listTickets(
  database: Database,
  project_id: string,
  filter: TicketFilter,
  { limit, offset, cursor, sort, order = 'desc' }: TicketPage,
): Promise<CountedPage<TicketView>> {
  const where = sql.join(ticketConditions(project_id, filter), ' and ')
  const by = sql.join(
    [moments[sort], sql`t._id`].flatMap((column) => (column ? [sql`${column} ${sql.direction(order)}`] : [])),
    ',',
  )
  // The page is chosen by ids alone, so that sorted and skipped rows are small.
  const after =
    cursor === undefined ? sql`` : sql`and ${isAfter(cursor, { moment: moments[sort], id: sql`t._id` }, order)}`
  const chosen = sql`select t._id from ticket t ${sort === 'last_activity_at' ? ACTIVITY : sql``} where ${where} ${after}`
  const [rows, [counted]] = await Promise.all([
    database.execute<ViewRow>(sql`
      select ${columns(database)} from (${chosen} order by ${by} limit ${limit + 1} offset ${offset}) page
      join ticket t using (_id) ${ACTIVITY} order by ${by}`),
    database.execute<{ total: number }>(sql`select count(*)::integer as total from ticket t where ${where}`),
  ])
  const views = rows.map((row) => toView(database, row))
  const placeOf = ({ ticket }: TicketView) => momentPlace(ticket._id, sort === 'created_at' ? undefined : ticket[sort])
  return { ...toPage(views, limit, placeOf), total: counted!.total }
}

/** Conditions on `ticket t`. */
export function ticketConditions(
  project_id: string,
  { is_closed, handled_by, pipeline_id, tag_id, since, until, ...exact }: TicketFilter,
): Sql[] {
  const within = createdWithin({ since, until }, { id: '_id', alias: 't' })
  const conditions = [sql`t.project_id = ${project_id}`, ...within]
  if (is_closed !== undefined) conditions.push(is_closed ? sql`t.is_closed` : sql`not t.is_closed`)
  if (tag_id !== undefined) conditions.push(sql`t.tag_ids @> array[${tag_id}]`)
  if (handled_by !== undefined) conditions.push(sql`${handledBy(sql`t`)} = ${handled_by}`)
  if (pipeline_id !== undefined) {
    conditions.push(sql`t.stage_id in (select _id from pipeline_stage where pipeline_id = ${pipeline_id})`)
  }
  for (const [column, value] of Object.entries(exact)) {
    if (value === undefined) continue
    conditions.push(value === null ? sql`t.${sql.id(column)} is null` : hasExactly(sql`t`, column, value))
  }
  return conditions
}

type ViewRow = Record<string, unknown> & {
  contact: TicketView['contact'] | null
  assignee: Pick<User, '_id' | 'full_name' | 'email'> | null
  tags: Pick<Tag, '_id' | 'name' | 'color'>[] | null
}

const columns = (database: Database) => sql`${columnsOf(database, Ticket, sql`t`)}, ${ACTIVITY_COLUMNS},
  (select json_build_object('name', c.name, 'avatar', c.avatar, 'channel_type', c.channel_type,
    'channel_id', c.channel_id) from contact c where c._id = t.chat_user and c.project_id = t.project_id) as contact,
  (select json_build_object('_id', u._id, 'full_name', u.full_name, 'email', u.email)
    from "user" u where u._id = t.assigned_to) as assignee,
  (select json_agg(json_build_object('_id', g._id, 'name', g.name, 'color', g.color))
    from tag g where g._id = any(t.tag_ids) and g.project_id = t.project_id) as tags`

function toView(database: Database, { contact, assignee, tags, ...row }: ViewRow): TicketView {
  const [ticket] = toRows(database, Ticket, [row])
  return {
    ticket: toActiveTicket(ticket as ActiveTicket),
    contact: contact ?? undefined,
    tags: new Map(tags?.map((tag) => [tag._id, tag])),
    users: new Map(assignee ? [[assignee._id, assignee]] : []),
  }
}

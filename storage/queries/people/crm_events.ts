import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { CrmEvent } from '../../entities/tickets/crm_event.ts'
import { sql } from '../../sql/sql.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'
import { asFarAsFits, isCut } from '../common/page_size.ts'
import { survivorId } from '../common/survivor.ts'
import { createdWithin, type TimeRange } from '../common/time_range.ts'

export type CrmEventFilter = TimeRange & { ticket_id?: string; chat_user?: string; event_type?: string }

/** The event with this id, or undefined when the project has none. */
export async function findCrmEvent(database: Database, project_id: string, _id: string): Promise<CrmEvent | undefined> {
  return (await readRows(database, CrmEvent, { _id, project_id }))[0]
}

/**
 * The project's events, newest first. Events of a ticket are read along its timeline, and those of a contact along the
 * timelines of its tickets. These are in order of time, then ids; all others in order of ids.
 */
export async function listCrmEvents(
  database: Database,
  project_id: string,
  { ticket_id, chat_user, event_type, ...range }: CrmEventFilter,
  { limit, cursor }: PageOptions,
): Promise<Page<CrmEvent>> {
  const of_ticket = ticket_id !== undefined || chat_user !== undefined
  const project = sql`project_id = ${project_id}`
  const conditions = [project, ...createdWithin(range, { id: '_id' })]
  if (ticket_id !== undefined) conditions.push(sql`ticket_id = ${ticket_id}`)
  if (event_type !== undefined) conditions.push(sql`event_type = ${event_type}`)
  if (cursor !== undefined) {
    const time = sql`(select created_at from crm_event where ${project} and _id = ${cursor})`
    conditions.push(of_ticket ? sql`(created_at, _id) < (${time}, ${cursor})` : sql`_id < ${cursor}`)
  }
  const order = of_ticket ? sql`created_at desc, _id desc` : sql`_id desc`
  const order_of_tickets = sql`e.created_at desc, e._id desc`
  const most = sql`limit ${limit + 1}`
  const columns = columnsOf(database, CrmEvent)
  const newest = sql`select ${columns} from crm_event where ${sql.join(conditions, ' and ')}`
  const listed =
    chat_user === undefined
      ? sql`${newest} order by ${order} ${most}`
      : sql`select e.* from ticket t cross join lateral (${newest} and ticket_id = t._id order by ${order} ${most}) e
         where t.chat_user = ${survivorId(chat_user)} order by ${order_of_tickets} ${most}`
  const rows = await database.execute(asFarAsFits(listed, { columns, large: ['data'], order }))
  return toPage(toRows<CrmEvent>(database, CrmEvent, rows), limit, ({ _id }) => _id, isCut(rows))
}

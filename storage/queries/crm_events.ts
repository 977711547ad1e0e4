import type { Database } from '../database.ts'
import { CrmEvent } from '../entities/crm_event.ts'
import { columnsOf, readRows, toRows } from '../read_rows.ts'
import { literal } from '../write_set.ts'
import { type Page, type PageOptions, toPage } from './keyset.ts'
import { asFarAsFits, isCut } from './page_size.ts'
import { createdWithin, type TimeRange } from './time_range.ts'

export type CrmEventFilter = TimeRange & { ticket_id?: string; chat_user?: string; event_type?: string }

/** An event of a timeline as the API shows it. */
export type CrmEventRecord = ReturnType<typeof toCrmEventRecord>

export function toCrmEventRecord({ _id, event_type, data, ticket_id, chat_user, created_at }: CrmEvent) {
  return { _id, event_type, data, ticket_id, chat_user, created_at }
}

/** The event with this id, or undefined when the project has none. */
export async function findCrmEvent(
  database: Database,
  project_id: string,
  _id: string,
): Promise<CrmEventRecord | undefined> {
  const [row] = await readRows(database, CrmEvent, { _id, project_id })
  return row && toCrmEventRecord(row)
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
): Promise<Page<CrmEventRecord>> {
  const of_ticket = ticket_id !== undefined || chat_user !== undefined
  const project = `project_id = ${literal(project_id)}`
  const wanted = [project, ...createdWithin(range, { id: '_id' })]
  if (ticket_id !== undefined) wanted.push(`ticket_id = ${literal(ticket_id)}`)
  if (event_type !== undefined) wanted.push(`event_type = ${literal(event_type)}`)
  if (cursor !== undefined) {
    const time = `(select created_at from crm_event where ${project} and _id = ${literal(cursor)})`
    wanted.push(of_ticket ? `(created_at, _id) < (${time}, ${literal(cursor)})` : `_id < ${literal(cursor)}`)
  }
  const order = of_ticket ? 'created_at desc, _id desc' : '_id desc'
  const page = `order by ${order} limit ${limit + 1}`
  const columns = columnsOf(database, CrmEvent)
  const newest = `select ${columns} from crm_event where ${wanted.join(' and ')}`
  const listed =
    chat_user === undefined
      ? `${newest} ${page}`
      : `select e.* from ticket t cross join lateral (${newest} and ticket_id = t._id ${page}) e
         where t.chat_user = ${literal(chat_user)} ${page.replaceAll(/created_at|_id/g, 'e.$&')}`
  const rows = await database.execute(asFarAsFits(listed, { columns, large: ['data'], order }))
  return toPage(toRows<CrmEvent>(database, CrmEvent, rows).map(toCrmEventRecord), limit, ({ _id }) => _id, isCut(rows))
}

import type { Database } from '../database.ts'
import { CrmEvent } from '../entities/crm_event.ts'
import { readRows, toRows } from '../read_rows.ts'
import { literal } from '../write_set.ts'
import { type Page, type PageOptions, toPage } from './keyset.ts'

export type CrmEventFilter = { ticket_id?: string; chat_user?: string; event_type?: string }

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

/** The project's events, newest first. */
export async function listCrmEvents(
  database: Database,
  project_id: string,
  { ticket_id, chat_user, event_type }: CrmEventFilter,
  { limit, cursor }: PageOptions,
): Promise<Page<CrmEventRecord>> {
  const wanted = [
    `project_id = ${literal(project_id)}`,
    cursor === undefined ? '' : `_id < ${literal(cursor)}`,
    ticket_id === undefined ? '' : `ticket_id = ${literal(ticket_id)}`,
    event_type === undefined ? '' : `event_type = ${literal(event_type)}`,
  ].filter((condition) => condition !== '')
  const newest = `select * from crm_event where ${wanted.join(' and ')}`
  const page = `order by _id desc limit ${limit + 1}`
  // The table has no index by contact: a contact has few tickets, and the page is among the newest of each.
  const sql =
    chat_user === undefined
      ? `${newest} ${page}`
      : `select e.* from ticket t cross join lateral (${newest} and ticket_id = t._id ${page}) e
         where t.chat_user = ${literal(chat_user)} ${page}`
  const rows = toRows(database, CrmEvent, await database.execute(sql))
  return toPage(rows.map(toCrmEventRecord), limit, ({ _id }) => _id)
}

import type { Database } from '../database.ts'
import { CrmEvent } from '../entities/crm_event.ts'
import { readRows } from '../read_rows.ts'
import { type Page, type PageOptions, toPage } from './keyset.ts'
import { type CrmEventRow, tables, toDate } from './tables.ts'

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
  const rows = await tables(database)
    .selectFrom('crm_event')
    .selectAll()
    .where('project_id', '=', project_id)
    .$if(cursor !== undefined, (query) => query.where('_id', '<', cursor!))
    .$if(ticket_id !== undefined, (query) => query.where('ticket_id', '=', ticket_id!))
    .$if(chat_user !== undefined, (query) => query.where('chat_user', '=', chat_user!))
    .$if(event_type !== undefined, (query) => query.where('event_type', '=', event_type!))
    .orderBy('_id', 'desc')
    .limit(limit + 1)
    .execute()
  const shown = rows.map((row: CrmEventRow) => toCrmEventRecord({ ...row, created_at: toDate(row.created_at) }))
  return toPage(shown, limit, ({ _id }) => _id)
}

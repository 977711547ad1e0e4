import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { Draft, type DraftKind } from '../../entities/inbox/draft.ts'
import { sql } from '../../sql/sql.ts'

export type DraftPlace = { ticket_id: string; user_id: string; kind: DraftKind }

/** `draft`: undefined where none was saved. */
export type FoundDraft = DraftPlace & { has_ticket: boolean; draft: Draft | undefined }

/** Characters of a draft in the list. */
const PREVIEW = 200
/** Drafts in the list: all that an agent may have. */
const MAX = 200

/** True for a draft that was deleted, or has nothing in it. */
export function isEmptyDraft({ content, attachments }: Pick<Draft, 'content' | 'attachments'>): boolean {
  return content === '' && attachments.length === 0
}

export async function findDraft(
  database: Database,
  project_id: string,
  { ticket_id, user_id, kind }: DraftPlace,
): Promise<Draft | undefined> {
  const [row] = await readRows(database, Draft, { ticket_id, user_id, kind, project_id })
  return row
}

/** The drafts at these places, and whether the project has their tickets: one query. */
export async function readDrafts(
  database: Database,
  project_id: string,
  places: readonly DraftPlace[],
): Promise<FoundDraft[]> {
  const rows = await database.execute<
    Record<string, unknown> & { at: number; has_ticket: boolean }
  >(sql`select w.at, t._id is not null as has_ticket, ${columnsOf(database, Draft, sql`d`)}
    from json_to_recordset(${JSON.stringify(places.map((place, at) => ({ at, ...place })))}::json) as w(at int, ticket_id text, user_id text, kind text)
    left join ticket t on t._id = w.ticket_id and t.project_id = ${project_id}
    left join draft d on d.ticket_id = w.ticket_id and d.user_id = w.user_id and d.kind = w.kind and d.project_id = ${project_id}`)
  return rows.map(({ at, has_ticket, ...row }) => {
    const draft = row.user_id === null ? undefined : toRows<Draft>(database, Draft, [row])[0]
    return { ...places[at]!, has_ticket, draft }
  })
}

/** The agent's drafts in the project, the last one saved first; of each the beginning of its text. */
export async function listDrafts(database: Database, { project_id, user_id }: { project_id: string; user_id: string }) {
  type Row = Pick<Draft, 'ticket_id' | 'kind' | 'version' | 'content'> & { updated_at: string }
  const rows = await database.execute<Row & { chat_user: string; name: string | null }>(
    sql`select d.ticket_id, d.kind, d.version, left(d.content, ${PREVIEW}) as content, d.updated_at, t.chat_user, c.name
    from draft d join ticket t on t._id = d.ticket_id left join contact c on c._id = t.chat_user
    where d.user_id = ${user_id} and d.project_id = ${project_id}
      and (d.content <> '' or json_array_length(d.attachments) > 0)
    order by d.updated_at desc, d.ticket_id desc, d.kind desc limit ${MAX}`,
  )
  return rows.map(({ chat_user, name, updated_at, ...row }) => {
    return { ...row, updated_at: new Date(updated_at), contact: { _id: chat_user, name } }
  })
}

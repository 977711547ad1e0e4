import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import { Note } from '../../entities/tickets/note.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'
import { hasExactly, survivorId } from '../common/survivor.ts'
import { createdWithin, type TimeRange } from '../common/time_range.ts'

export type NoteFilter = TimeRange & { ticket_id?: string | undefined; chat_user?: string | undefined }

/** A note with the name of its author; null when the author is unknown. */
export type AuthoredNote = Note & { full_name: string | null }

/** The note with this id, or undefined when the project has none. */
export async function findNote(database: Database, project_id: string, _id: string): Promise<AuthoredNote | undefined> {
  return (await readNotes(database, [sql`n.project_id = ${project_id}`, sql`n._id = ${_id}`], 1))[0]
}

/** The project's notes, newest first. */
export async function listNotes(
  database: Database,
  project_id: string,
  { since, until, ...exact }: NoteFilter,
  { limit, cursor }: PageOptions,
): Promise<Page<AuthoredNote>> {
  const within = createdWithin({ since, until }, { id: '_id', alias: 'n' })
  const conditions = [sql`n.project_id = ${project_id}`, ...within]
  for (const [column, value] of Object.entries(exact)) {
    if (value !== undefined) conditions.push(hasExactly(sql`n`, column, value))
  }
  if (cursor !== undefined) conditions.push(sql`n._id < ${cursor}`)
  return toPage(await readNotes(database, conditions, limit + 1), limit, ({ _id }) => _id)
}

/** Tickets of a contact whose notes are found, the newest first. */
const MAX_TICKETS = 200

/** The notes on a contact and on its tickets, newest first. Each ticket's are read along an index, no further than a page. */
export async function listNotesAbout(
  database: Database,
  project_id: string,
  chat_user: string,
  range: TimeRange,
  { limit, cursor }: PageOptions,
): Promise<Page<AuthoredNote>> {
  const within = createdWithin(range, { id: '_id', alias: 'n' })
  if (cursor !== undefined) within.push(sql`n._id < ${cursor}`)
  const mine = sql.join([sql`n.project_id = ${project_id}`, ...within], ' and ')
  const newest = (where: Sql) =>
    sql`select n._id from note n where ${where} and ${mine} order by n._id desc limit ${limit + 1}`
  const found = sql`n._id in (
    (${newest(sql`n.chat_user = ${survivorId(chat_user)}`)})
    union
    select of_ticket._id from (
      select _id from ticket where chat_user = ${survivorId(chat_user)} and project_id = ${project_id}
      order by _id desc limit ${MAX_TICKETS}) t
    cross join lateral (${newest(sql`n.ticket_id = t._id`)}) of_ticket)`
  return toPage(await readNotes(database, [found], limit + 1), limit, ({ _id }) => _id)
}

async function readNotes(database: Database, conditions: Sql[], most: number): Promise<AuthoredNote[]> {
  const rows = await database.execute(sql`
    select ${columnsOf(database, Note, sql`n`)}, u.full_name from note n left join "user" u on u._id = n.created_by
    where ${sql.join(conditions, ' and ')} order by n._id desc limit ${most}`)
  return toRows(database, Note, rows) as AuthoredNote[]
}

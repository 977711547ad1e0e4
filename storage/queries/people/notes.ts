import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import { Note } from '../../entities/note.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'
import { createdWithin, type TimeRange } from '../common/time_range.ts'

export type NoteFilter = TimeRange & { ticket_id?: string | undefined; chat_user?: string | undefined }

/** A note as the API shows it. */
export type NoteRecord = ReturnType<typeof toNoteRecord>

/** `full_name`: name of the author. */
export function toNoteRecord(note: Note, full_name: string | null | undefined) {
  return {
    _id: note._id,
    content: note.content,
    type: note.type,
    chat_user: note.chat_user ?? null,
    ticket_id: note.ticket_id ?? null,
    created_by: { id: note.created_by, full_name: full_name ?? null },
    created_at: note.created_at,
  }
}

/** A note as the console shows it. */
export type AgentNoteRecord = ReturnType<typeof toAgentNoteRecord>

export function toAgentNoteRecord(note: Note, full_name: string | null | undefined) {
  return { ...toNoteRecord(note, full_name), mentions: note.mentions }
}

/** `toNoteRecord`, or `toAgentNoteRecord` for the console. */
export type ShowNote = (note: Note, full_name: string | null | undefined) => NoteRecord

/** The note with this id, or undefined when the project has none. */
export async function findNote(
  database: Database,
  project_id: string,
  _id: string,
  show: ShowNote = toNoteRecord,
): Promise<NoteRecord | undefined> {
  return (await readNotes(database, [sql`n.project_id = ${project_id}`, sql`n._id = ${_id}`], 1, show))[0]
}

/** The project's notes, newest first. */
export async function listNotes(
  database: Database,
  project_id: string,
  { since, until, ...exact }: NoteFilter,
  { limit, cursor }: PageOptions,
  show: ShowNote = toNoteRecord,
): Promise<Page<NoteRecord>> {
  const within = createdWithin({ since, until }, { id: '_id', alias: 'n' })
  const conditions = [sql`n.project_id = ${project_id}`, ...within]
  for (const [column, value] of Object.entries(exact)) {
    if (value !== undefined) conditions.push(sql`n.${sql.id(column)} = ${value}`)
  }
  if (cursor !== undefined) conditions.push(sql`n._id < ${cursor}`)
  return toPage(await readNotes(database, conditions, limit + 1, show), limit, ({ _id }) => _id)
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
  show: ShowNote = toNoteRecord,
): Promise<Page<NoteRecord>> {
  const within = createdWithin(range, { id: '_id', alias: 'n' })
  if (cursor !== undefined) within.push(sql`n._id < ${cursor}`)
  const mine = sql.join([sql`n.project_id = ${project_id}`, ...within], ' and ')
  const newest = (where: Sql) =>
    sql`select n._id from note n where ${where} and ${mine} order by n._id desc limit ${limit + 1}`
  const found = sql`n._id in (
    (${newest(sql`n.chat_user = ${chat_user}`)})
    union
    select of_ticket._id from (
      select _id from ticket where chat_user = ${chat_user} and project_id = ${project_id}
      order by _id desc limit ${MAX_TICKETS}) t
    cross join lateral (${newest(sql`n.ticket_id = t._id`)}) of_ticket)`
  return toPage(await readNotes(database, [found], limit + 1, show), limit, ({ _id }) => _id)
}

async function readNotes(database: Database, conditions: Sql[], most: number, show: ShowNote): Promise<NoteRecord[]> {
  const rows = await database.execute(sql`
    select ${columnsOf(database, Note, sql`n`)}, u.full_name from note n left join "user" u on u._id = n.created_by
    where ${sql.join(conditions, ' and ')} order by n._id desc limit ${most}`)
  return toRows(database, Note, rows).map((row) => show(row, (row as Note & { full_name: string }).full_name))
}

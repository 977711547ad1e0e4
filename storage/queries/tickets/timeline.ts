/**
 * The timeline of a ticket in one order: its notes, its events, and the messages between its contact and the project
 * from its opening until its closing. After a reopening the time in between belongs to it.
 *
 * Each kind is read along an index in the order of the page, so a page costs the same for any length of the timeline.
 *
 * A person has one conversation, however many tickets it took. With `with_former` the timeline goes on beyond the ticket's
 * opening: messages to and from the contact before it, whether or not a ticket was open, and notes and events of former
 * tickets.
 */
import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { type EntityRef, tableOf } from '../../database/write_set.ts'
import { Message } from '../../entities/messages/message.ts'
import { CrmEvent } from '../../entities/tickets/crm_event.ts'
import { Note } from '../../entities/tickets/note.ts'
import { Ticket } from '../../entities/tickets/ticket.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { type Page, toPage } from '../common/keyset.ts'
import { asFarAsFits, isCut } from '../common/page_size.ts'
import { largeOfMessage } from '../messages/messages.ts'
import type { AuthoredNote } from '../people/notes.ts'

export type TimelineRow =
  | { kind: 'note'; row: AuthoredNote }
  | { kind: 'event'; row: CrmEvent }
  | { kind: 'message'; row: Message }

export type TimelineKind = TimelineRow['kind']

/** A position in the order. Ids without their prefixes order entries with the same time. */
type Place = { at: Date; id: string }

/** The form of `next_cursor`: milliseconds and an id. */
export const timelineCursor = /^(\d{1,13})_([0-9a-f]{24})$/i

export type TimelineOptions = {
  kind?: TimelineKind | undefined
  limit: number
  cursor?: string | undefined
  with_former?: boolean | undefined
}

/** Former tickets whose notes and events are on a page, the latest before it. */
const MAX_FORMER = 100

/** The newest first; undefined when the project has no such ticket. */
export async function listTimeline(
  database: Database,
  project_id: string,
  ticket_id: string,
  { kind, limit, cursor, with_former = false }: TimelineOptions,
): Promise<Page<TimelineRow> | undefined> {
  const [ticket] = await readRows(database, Ticket, { _id: ticket_id, project_id })
  if (!ticket) return undefined
  const [, ms, id] = timelineCursor.exec(cursor ?? '') ?? []
  const after = ms && id ? { at: new Date(Number(ms)), id } : undefined
  const kinds = kind ? [kind] : (Object.keys(readers) as TimelineKind[])
  const request = { ticket, most: limit + 1, after, with_former }
  const found = await Promise.all(kinds.map((kind) => readers[kind](database, request)))
  const items = found.flatMap(({ items }) => items).sort(compare)
  // Behind the last item of a kind that was cut, others of this kind may precede those of the other kinds.
  const ends = found.filter(({ is_cut }) => is_cut).map(({ items }) => items.at(-1)!)
  const end = ends.sort(compare)[0]
  const known = end ? items.slice(0, items.indexOf(end) + 1) : items
  const cursorOf = (item: TimelineRow) => {
    const { at, id } = placeOf(item)
    return `${at.getTime()}_${id}`
  }
  return toPage(known, limit, cursorOf, end !== undefined)
}

type TimelineRequest = {
  ticket: Ticket
  most: number
  after: Place | undefined
  with_former: boolean
}

type Reader = (database: Database, request: TimelineRequest) => Promise<Found>

/** `is_cut`: more items were asked for than fit into a page. */
type Found = { items: TimelineRow[]; is_cut: boolean }

const readers: Record<TimelineKind, Reader> = {
  async note(database, request) {
    // Notes are stored as sent: a note of another project may name this ticket.
    const mine = sql` and project_id = ${request.ticket.project_id}`
    const rows = await database.execute(sql`
      select n.*, u.full_name from (${newestOfTickets(database, Note, request, mine)}) n
      left join "user" u on u._id = n.created_by`)
    const notes = toRows(database, Note, rows) as AuthoredNote[]
    return { items: notes.map((row) => ({ kind: 'note', row })), is_cut: false }
  },
  async event(database, request) {
    const listed = newestOfTickets(database, CrmEvent, request)
    const columns = columnsOf(database, CrmEvent)
    const rows = await database.execute(
      asFarAsFits(listed, { columns, large: ['data'], order: sql`created_at desc, _id desc` }),
    )
    const events = toRows<CrmEvent>(database, CrmEvent, rows)
    return { items: events.map((row) => ({ kind: 'event', row })), is_cut: isCut(rows) }
  },
  async message(database, { ticket, most, after, with_former }) {
    const { chat_user, project_id, created_at, closed_at } = ticket
    const mine = sql`chat_user = ${chat_user} and project_id = ${project_id}`
    const from = with_former ? sql`` : sql` and created_at >= ${created_at}`
    const until = closed_at ? sql` and created_at <= ${closed_at}` : sql``
    const after_id = after && { ...after, id: `msg_${after.id}` }
    const listed = newest(database, Message, sql`${mine}${from}${until}`, most, after_id)
    const columns = columnsOf(database, Message)
    const rows = await database.execute<Record<string, unknown> & { found: number }>(
      asFarAsFits(listed, { columns, large: largeOfMessage, order: sql`created_at desc, id desc` }),
    )
    return { items: toRows(database, Message, rows).map((row) => ({ kind: 'message', row })), is_cut: isCut(rows) }
  },
}

/** The newest notes or events of the ticket and, `with_former`, of those before it. `condition` begins with "and". */
function newestOfTickets(
  database: Database,
  entity: EntityRef,
  { ticket: { _id, project_id, chat_user, created_at }, most, after, with_former }: TimelineRequest,
  condition = sql``,
): Sql {
  const own = newest(database, entity, sql`ticket_id = ${_id}${condition}`, most, after)
  if (!with_former) return own
  const opening = sql`${created_at}`
  const until = after && after.at < created_at ? sql`${after.at}` : opening
  const tickets = sql`select _id as former_id from ticket where chat_user = ${chat_user}
    and project_id = ${project_id} and _id <> ${_id} and created_at <= ${until}
    order by _id desc limit ${MAX_FORMER}`
  const former = newest(
    database,
    entity,
    sql`ticket_id = former_id and created_at < ${opening}${condition}`,
    most,
    after,
  )
  return sql`select * from ((${own}) union all (
    select listed.* from (${tickets}) t cross join lateral (${former}) listed)) listed
    order by created_at desc, _id desc limit ${most}`
}

function newest(database: Database, entity: EntityRef, condition: Sql, most: number, after: Place | undefined): Sql {
  const { name } = tableOf(database.orm, entity)
  const id = entity === Message ? sql`id` : sql`_id`
  const place = after && sql`(${after.at}, ${after.id})`
  const rest = place ? sql` and (created_at, ${id}) < ${place}` : sql``
  return sql`select ${columnsOf(database, entity)} from ${sql.id(name)} where ${condition}${rest} order by created_at desc, ${id} desc limit ${most}`
}

function compare(one: TimelineRow, other: TimelineRow): number {
  const [place, other_place] = [placeOf(one), placeOf(other)]
  const later = other_place.at.getTime() - place.at.getTime()
  return later || (place.id < other_place.id ? 1 : -1)
}

function placeOf({ kind, row }: TimelineRow): Place {
  return { at: row.created_at, id: kind === 'message' ? row.id.slice('msg_'.length) : row._id }
}

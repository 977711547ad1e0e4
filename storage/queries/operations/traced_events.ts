/**
 * The events of a trace. Events name their message in their data alone, which no index has: they are looked for in the moments at which
 * the message changed, and by its request.
 */
import type { Database } from '../../database/database.ts'
import type { Message } from '../../entities/messages/message.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { COUNTED, type Found, idAt, moreThan, spansOf } from './traced_rows.ts'

/** `message_id`: the message that the event is about. */
export type TracedEvent = {
  id: string
  project_id: string
  type: string
  subscription_ids: string[]
  created_at: Date
  request_id: string | null
  message_id: string | null
}

const EVENTS = 300
/** Events are looked for so long after each moment of their message: callbacks come later than what they report. */
const LATER_MS = 120_000

/** Maximum events among which those of a message are looked for, at each of its moments. */
const SCANNED = 20_000

/** The smallest id of the days from which on all have the index of requests. Days before have no events of requests. */
async function firstIndexedEvent(database: Database): Promise<string> {
  const [row] = await database.execute<{ first: string }>(sql`
    select coalesce(day_begin('evt', max(to_date(right(c.relname, 8), 'YYYYMMDD')) + 1), 'evt_') as first
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'event'::regclass and not exists (
      select from pg_index x where x.indrelid = c.oid and pg_get_indexdef(x.indexrelid) like '%(request_id, id)%')`)
  return row!.first
}

const EVENT = sql`event`

/** `from`: events, or some of them. */
export async function eventsWhere(database: Database, where: Sql, limit: number, from = EVENT): Promise<TracedEvent[]> {
  const rows = await database.execute<TracedEvent & { created_at: string | Date }>(sql`
    select id, project_id, type, subscription_ids, created_at, request_id,
      substring(data::text from '"message_id":"(msg_[0-9a-f]{24})"') as message_id
    from ${from} where ${where} order by id limit ${limit}`)
  return rows.map((row) => ({ ...row, created_at: new Date(row.created_at) }))
}

/** The events that name the message: those of its request, and those near the times that its row has. */
export async function eventsOfMessage(database: Database, message: Message): Promise<Found<TracedEvent>> {
  const { id, project_id, request_id = null } = message
  const text = `%"message_id":"${id}"%`
  const own = sql`project_id = ${project_id} and data::text like ${text}`
  const moments = momentsOf(message).map(({ from, until }) => sql`id >= ${from} and id < ${until}`)
  const [unsearched, ...found] = await Promise.all([
    unsearchedOf(database, moments),
    request_id === null ? [] : eventsOfRequestAmong(database, request_id, own),
    ...moments.map((moment) => {
      const among = sql`(select id, project_id, type, subscription_ids, created_at, request_id, data from event where ${moment} order by id limit ${SCANNED}) scanned`
      return eventsWhere(database, own, EVENTS + 1, among)
    }),
  ])
  // Ids have whole seconds, so spans may share one.
  const rows = [...new Map(found.flat().map((event) => [event.id, event])).values()]
  rows.sort((one, other) => (one.id < other.id ? -1 : 1))
  return { rows: rows.slice(0, EVENTS), more: Math.max(rows.length - EVENTS, 0), unsearched }
}

async function eventsOfRequestAmong(database: Database, request_id: string, own: Sql): Promise<TracedEvent[]> {
  return eventsWhere(database, sql`${await whereOfRequest(database, request_id)} and ${own}`, EVENTS + 1)
}

/** The events of a request. */
export async function eventsOfRequest(database: Database, request_id: string): Promise<Found<TracedEvent>> {
  const of_request = await whereOfRequest(database, request_id)
  const rows = await eventsWhere(database, of_request, EVENTS + 1)
  return {
    rows: rows.slice(0, EVENTS),
    more: await moreThan(database, rows.length, EVENTS, sql`event where ${of_request}`),
  }
}

async function whereOfRequest(database: Database, request_id: string): Promise<Sql> {
  return sql`request_id = ${request_id} and id >= ${await firstIndexedEvent(database)}`
}

async function unsearchedOf(database: Database, moments: Sql[]): Promise<number> {
  const counts = moments.map(async (moment) => {
    const counted = sql`(select 1 from event where ${moment} limit ${SCANNED + COUNTED}) counted`
    const [row] = await database.execute<{ count: number }>(sql`select count(*)::int as count from ${counted}`)
    return Math.max(row!.count - SCANNED, 0)
  })
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

/** Spans of ids of events. */
function momentsOf(message: Message): { from: string; until: string }[] {
  const { created_at, sent_at, delivered_at, read_at, failed_at, edited_at, deleted_at, updated_at } = message
  const times = [created_at, sent_at, delivered_at, read_at, failed_at, edited_at, deleted_at, updated_at]
    .flatMap((time) => (time ? [time.getTime()] : []))
    .sort((one, other) => one - other)
  return spansOf(times, (time) => time, LATER_MS).map(({ from, until }) => ({
    from: idAt('evt', from),
    until: idAt('evt', until),
  }))
}

/**
 * Polls of a subscription: the deliveries of its groups, and its own, in the order of their ids, which is the order of the
 * events. Its own are tests, and those of releases without groups.
 *
 * One actor makes all deliveries of a project, with rising ids, and its commits follow one another. So a reader that
 * sees a delivery sees all before it, and an id is a position in the list.
 */
import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import { Event } from '../../entities/webhooks/event.ts'
import { sql } from '../../sql/sql.ts'
import { objectIdAt } from '../../values/ids.ts'
import { newDate } from '../../values/time.ts'
import { asFarAsFits, isCut } from '../common/page_size.ts'
import { BEGINNING, fetchedUpTo, receiversOf } from './poll_groups.ts'

/** A polled subscription's own deliveries have the ordering key of one that wants all events in order. */
const UNACKNOWLEDGED = sql`status in ('pending', 'failed') and next_attempt_at is not null and ordering_key = '*'`

/**
 * The position before the deliveries that were made at this time, in ISO 8601, or later. A time to come gives the
 * position after the last delivery: a cursor in the future would acknowledge deliveries that nobody has seen.
 */
export async function positionAt(database: Database, subscription_id: string, since: string): Promise<string> {
  const moment = new Date(since)
  if (moment <= newDate()) return `dlv_${objectIdAt(moment)}`
  const [row] = await database.execute<{ last: string | null }>(
    sql`select max(d.id) as last from ${receiversOf(subscription_id)} cross join lateral (
      select id from delivery where subscription_id = receiver.id order by id desc limit 1) d`,
  )
  return row?.last ?? BEGINNING
}

/**
 * The position before the first delivery that was not acknowledged. One statement sees one state: a delivery that commits
 * meanwhile comes after the position.
 */
export async function nextPosition(database: Database, subscription_id: string): Promise<string> {
  const own = sql`from delivery where subscription_id = ${subscription_id} and ${UNACKNOWLEDGED}`
  const [row] = await database.execute<{ first: string | null; fetched: string | null }>(
    sql`select (select id ${own} order by id limit 1) as first, ${fetchedUpTo(subscription_id)} as fetched`,
  )
  const fetched = row?.fetched ?? BEGINNING
  return row?.first && row.first <= fetched ? before(row.first) : fetched
}

function before(id: string): string {
  const number = BigInt(`0x${id.slice('dlv_'.length)}`) - 1n
  return `dlv_${number.toString(16).padStart(24, '0')}`
}

export type PolledPage = { events: Event[]; position: string; has_more: boolean }

/**
 * The events of the deliveries after a position, at most `limit`, as far as they fit into a page.
 * `position` is that after the page. Events that were deleted are passed over: a page of such events is empty, and more
 * may follow it.
 */
export async function readPolled(
  database: Database,
  subscription_id: string,
  after: string,
  limit: number,
): Promise<PolledPage> {
  const rows = await database.execute<{ id: string; event_id: string }>(
    sql`select d.id, d.event_id from ${receiversOf(subscription_id, after)} cross join lateral (
        select id, event_id from delivery where subscription_id = receiver.id and id > ${after}
        order by id limit ${limit + 1}) d
      order by d.id limit ${limit + 1}`,
  )
  const page = rows.slice(0, limit)
  if (page.length === 0) return { events: [], position: after, has_more: false }
  const { events, is_cut } = await readEvents(
    database,
    page.map(({ event_id }) => event_id),
  )
  const last_event = events.at(-1)?.id
  const last = is_cut ? page.find(({ event_id }) => event_id === last_event)! : page.at(-1)!
  return { events, position: last.id, has_more: is_cut || rows.length > limit }
}

/** The existing events in the order of their ids in the list, as far as they fit into a page. */
async function readEvents(database: Database, ids: string[]): Promise<{ events: Event[]; is_cut: boolean }> {
  const list = sql.list(ids)
  const columns = columnsOf(database, Event)
  const listed = sql`select ${columns}, array_position(array[${list}], id) as place from event where id in (${list})`
  const rows = await database.execute(asFarAsFits(listed, { columns, large: ['data'], order: sql`place` }))
  return { events: toRows<Event>(database, Event, rows), is_cut: isCut(rows) }
}

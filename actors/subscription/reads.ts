/** Reads of a subscription from the `delivery` table, which is its queue. */
import {
  columnsOf,
  type Database,
  Delivery,
  Event,
  objectIdAt,
  type Recovery,
  readRows,
  type Sql,
  sql,
  toRows,
} from '../../storage/mod.ts'
import { envelopeOf, envelopes } from '../webhook/mod.ts'
import { type DeliveryQueue, KEY_PAGE } from './delivery_queue.ts'

/** Page size for deliveries that are not sent: given up, or queued again. */
export const PAGE = 500
export const RECOVERY_PAGE = 200

/** A stored delivery. `body` is undefined when its event was deleted: both were committed together. */
export type Found = { delivery: Delivery; body: string | undefined }

/** All rows that were read, those without an event included: they end, and the next rows are behind them. */
export type DueRecords = {
  /** Without a key; includes the first that is not due yet. */
  loose: Found[]
  more: boolean
  heads: Found[]
  heads_asked: number
  keys: Map<string, Found[]>
}

const UNDELIVERED = sql`status in ('pending', 'failed') and next_attempt_at is not null`

/** Reads the rows that the queue asks for. */
export async function readDue(database: Database, id: string, queue: DeliveryQueue, now: Date): Promise<DueRecords> {
  const wants = queue.wants()
  const mine = sql`subscription_id = ${id} and ${UNDELIVERED}`
  const [loose, heads, of_keys] = await Promise.all([
    // Read even when memory holds some: the timer fires for due rows in the table.
    select(database, sql`${mine} and ordering_key is null order by next_attempt_at limit ${wants.loose || KEY_PAGE}`),
    wants.heads > 0 ? readHeads(database, id, queue, wants.heads) : [],
    readKeys(database, mine, wants.keys),
  ])
  const bodies = await readBodies(
    database,
    [...loose, ...heads, ...of_keys].map(({ event_id }) => event_id),
  )
  const by_key = Map.groupBy(of_keys, ({ ordering_key }) => ordering_key!)
  const withBodies = (rows: Delivery[]): Found[] =>
    rows.map((delivery) => ({ delivery, body: bodies.get(delivery.event_id) }))
  return {
    loose: withBodies(loose),
    more: loose.length === (wants.loose || KEY_PAGE) && loose.at(-1)!.next_attempt_at! <= now,
    heads: withBodies(heads),
    heads_asked: wants.heads,
    keys: new Map(wants.keys.map((key) => [key, withBodies(by_key.get(key) ?? [])])),
  }
}

/** The first deliveries of each of these keys, in order: many keys may be due at one moment. */
async function readKeys(database: Database, mine: Sql, keys: readonly string[]): Promise<Delivery[]> {
  if (keys.length === 0) return []
  const rows = await database.execute(sql`
    select d.* from (values ${sql.join(
      keys.map((key) => sql`(${key})`),
      ',',
    )}) as wanted(key) cross join lateral (
      select ${columnsOf(database, Delivery)} from delivery where ${mine} and ordering_key = wanted.key
      order by id limit ${KEY_PAGE}) d
    order by d.id`)
  return toRows(database, Delivery, rows)
}

/**
 * The first undelivered delivery of each key after the cursor, by skipping from key to key: a key with a million
 * waiting costs one step.
 */
async function readHeads(database: Database, id: string, queue: DeliveryQueue, limit: number): Promise<Delivery[]> {
  const after = (key: Sql) => sql`select ordering_key, id from delivery
    where subscription_id = ${id} and ${UNDELIVERED} and ordering_key > ${key}
    order by ordering_key, id limit 1`
  const held = queue.keyNames()
  const others = held.length > 0 ? sql`where ordering_key not in (${sql.list(held)})` : sql``
  const rows = await database.execute<{ id: string }>(sql`
    with recursive head as (
      (${after(sql`${queue.key_cursor}`)})
      union all
      select next.* from head cross join lateral (${after(sql`head.ordering_key`)}) next
    )
    select id from head ${others} limit ${limit}`)
  if (rows.length === 0) return []
  const ids = sql.list(rows.map((row) => row.id))
  return select(database, sql`id in (${ids}) order by ordering_key`)
}

/** The existing deliveries, by id. */
export async function readDeliveries(database: Database, ids: string[]): Promise<Map<string, Delivery>> {
  if (ids.length === 0) return new Map()
  const rows = await readRows(database, Delivery, { id: ids })
  return new Map(rows.map((row) => [row.id, row]))
}

/** The ids that the table has no longer. */
export async function findDeleted(database: Database, ids: string[]): Promise<string[]> {
  const present = await readDeliveries(database, ids)
  return ids.filter((id) => !present.has(id))
}

export function readUndelivered(database: Database, id: string): Promise<Delivery[]> {
  return select(database, sql`subscription_id = ${id} and ${UNDELIVERED} order by next_attempt_at limit ${PAGE}`)
}

/** The first deliveries of a polled subscription up to this position that were not acknowledged. */
export function readUnacknowledged(database: Database, id: string, up_to: string): Promise<Delivery[]> {
  const mine = sql`subscription_id = ${id} and ${UNDELIVERED} and ordering_key = '*'`
  return select(database, sql`${mine} and id <= ${up_to} order by id limit ${PAGE}`)
}

const FAILED = sql`status in ('failed', 'dead') and next_attempt_at is null and not is_test`
/** An event and its deliveries get their ids in one turn. */
const SLACK_MS = 86_400_000

/** Deliveries whose event was deleted cannot be sent again. The bounds let PostgreSQL skip the events of other days. */
function rangeOf(id: string, { since, until }: Recovery, cursor: string): Sql {
  const times = sql`created_at >= ${since} and created_at <= ${until}`
  const bound = (time: string, by_ms: number) => `evt_${objectIdAt(new Date(Date.parse(time) + by_ms))}`
  const event = sql`exists (select from event where event.id = delivery.event_id
    and event.id >= ${bound(since, -SLACK_MS)} and event.id <= ${bound(until, SLACK_MS)})`
  return sql`subscription_id = ${id} and id > ${cursor} and ${FAILED} and ${times} and ${event}`
}

/** The next failed deliveries of a recovery, oldest first. */
export function readFailed(database: Database, id: string, recovery: Recovery): Promise<Delivery[]> {
  const where = rangeOf(id, recovery, recovery.cursor)
  return select(database, sql`${where} order by id limit ${RECOVERY_PAGE}`)
}

export async function countFailed(database: Database, id: string, recovery: Recovery): Promise<number> {
  const where = rangeOf(id, recovery, recovery.cursor)
  const [row] = await database.execute<{ count: number }>(
    sql`select count(*)::int as count from delivery where ${where}`,
  )
  return row!.count
}

async function select(database: Database, rest: Sql): Promise<Delivery[]> {
  const query = sql`select ${columnsOf(database, Delivery)} from delivery where ${rest}`
  return toRows(database, Delivery, await database.execute(query))
}

/** The envelopes of recent events: from memory, or from the table when they happened on another node. */
export async function takeBodies(database: Database, event_ids: string[]): Promise<Map<string, string>> {
  const taken = new Map<string, string>()
  const missing: string[] = []
  for (const id of event_ids) {
    const body = envelopes.take(id)
    if (body === undefined) missing.push(id)
    else taken.set(id, body)
  }
  if (missing.length === 0) return taken
  return new Map([...taken, ...(await readBodies(database, missing))])
}

async function readBodies(database: Database, event_ids: string[]): Promise<Map<string, string>> {
  const ids = [...new Set(event_ids)]
  if (ids.length === 0) return new Map()
  const events = await readRows(database, Event, { id: ids })
  return new Map(events.map((event) => [event.id, envelopeOf(event)]))
}

/**
 * The rows that tell the way of a request, a message or an event: messages, events, deliveries, attempts and audit entries.
 *
 * Each read goes along an index, and has a bound. Events name their message in their data alone, which no index has: they
 * are looked for in the moments at which the message changed.
 */
import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { AuditEntry } from '../../entities/access/audit_entry.ts'
import { Message } from '../../entities/messages/message.ts'
import { Attempt } from '../../entities/webhooks/attempt.ts'
import { Delivery } from '../../entities/webhooks/delivery.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { objectIdAt } from '../../values/ids.ts'
import { findWaiting, type Waiting } from '../messages/messages.ts'

/** `channel_state`: set for a message that waits for a channel that is off or not connected. */
export type TracedMessage = Message & { waiting: Waiting | undefined; channel_state: string | undefined }

/** `receiver_error`: set for a delivery that waits, when the last attempt of its subscription failed or the subscription is off. */
export type TracedDelivery = Delivery & { receiver_error: string | undefined }

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

/** Numbers of rows that are there beyond those that were read. */
export type LeftOut = {
  messages: number
  events: number
  deliveries: number
  audit_entries: number
  /** Events of the message's times, of all projects, among which its own were not looked for. */
  unsearched_events: number
}

export type TraceRows = {
  messages: TracedMessage[]
  events: TracedEvent[]
  deliveries: TracedDelivery[]
  attempts: Attempt[]
  audit_entries: AuditEntry[]
  left_out: LeftOut
}

export type TraceKind = 'request' | 'message' | 'event'

const MESSAGES = 100
const EVENTS = 300
const DELIVERIES = 600
const AUDIT_ENTRIES = 100
const ATTEMPTS_OF_EACH = 10
/** Rows beyond these are not counted. */
const COUNTED = 100_000
/** Events are looked for so long after each moment of their message: callbacks come later than what they report. */
const LATER_MS = 120_000
/** Ids may be a second or two ahead of the time of their row. */
const SLACK_MS = 2_000
/** Maximum events among which those of a message are looked for, at each of its moments. */
const SCANNED = 20_000

type Found<Row> = { rows: Row[]; more: number; unsearched?: number }

export async function readTrace(database: Database, kind: TraceKind, id: string): Promise<TraceRows> {
  if (kind === 'request') return traceOfRequest(database, id)
  const none = { rows: [], more: 0 }
  if (kind === 'message') {
    const [message] = await readRows(database, Message, { id })
    if (!message) return complete(database, none, none, none)
    const { request_id = null } = message
    const [events, audit] = await Promise.all([
      eventsOfMessage(database, message),
      request_id === null ? none : auditOf(database, request_id),
    ])
    return complete(database, { rows: [message], more: 0 }, events, audit)
  }
  const events = await eventsWhere(database, sql`id = ${id}`, 1)
  const [event] = events
  if (!event) return complete(database, none, none, none)
  const { message_id, project_id, request_id } = event
  const [messages, audit] = await Promise.all([
    message_id === null ? [] : readRows(database, Message, { id: message_id, project_id }),
    request_id === null ? none : auditOf(database, request_id),
  ])
  return complete(database, { rows: messages, more: 0 }, { rows: events, more: 0 }, audit)
}

async function traceOfRequest(database: Database, request_id: string): Promise<TraceRows> {
  const mine = sql`request_id = ${request_id}`
  const [messages, day, audit] = await Promise.all([
    database.execute(
      sql`select ${columnsOf(database, Message)} from message where ${mine} order by id limit ${MESSAGES + 1}`,
    ),
    firstIndexedEvent(database),
    auditOf(database, request_id),
  ])
  const among = sql`${mine} and id >= ${day}`
  const events = await eventsWhere(database, among, EVENTS + 1)
  return complete(
    database,
    {
      rows: toRows(database, Message, messages.slice(0, MESSAGES)),
      more: await moreThan(database, messages.length, MESSAGES, sql`message where ${mine}`),
    },
    {
      rows: events.slice(0, EVENTS),
      more: await moreThan(database, events.length, EVENTS, sql`event where ${among}`),
    },
    audit,
  )
}

/** Adds what belongs to the messages and events. */
async function complete(
  database: Database,
  messages: Found<Message>,
  events: Found<TracedEvent>,
  audit: Found<AuditEntry>,
): Promise<TraceRows> {
  const [waiting, deliveries] = await Promise.all([
    Promise.all(messages.rows.map(({ id, status }) => (status === 'queued' ? findWaiting(database, id) : undefined))),
    deliveriesOf(database, events.rows),
  ])
  const [attempts, errors, states] = await Promise.all([
    attemptsOf(database, deliveries.rows),
    receiverErrors(database, deliveries.rows),
    channelStates(database, messages.rows),
  ])
  return {
    messages: messages.rows.map((message, at) => ({
      ...message,
      waiting: waiting[at],
      channel_state: waiting[at] && states.get(message.channel_id),
    })),
    events: events.rows,
    deliveries: deliveries.rows.map((delivery) => ({
      ...delivery,
      receiver_error: delivery.next_attempt_at ? errors.get(delivery.subscription_id) : undefined,
    })),
    attempts,
    audit_entries: audit.rows,
    left_out: {
      messages: messages.more,
      events: events.more,
      deliveries: deliveries.more,
      audit_entries: audit.more,
      unsearched_events: events.unsearched ?? 0,
    },
  }
}

/** Of the subscriptions of deliveries that wait: `off`, or the error of the last attempt. */
async function receiverErrors(database: Database, deliveries: readonly Delivery[]): Promise<Map<string, string>> {
  const waiting = deliveries.filter(({ next_attempt_at }) => next_attempt_at !== null)
  if (waiting.length === 0) return new Map()
  const ids = [...new Set(waiting.map(({ subscription_id }) => subscription_id))]
  const rows = await database.execute<{ id: string; error: string }>(sql`
    select id, case when is_active then last_error else 'off' end as error from subscription
    where id in (${sql.list(ids)}) and (not is_active or last_error is not null)`)
  return new Map(rows.map(({ id, error }) => [id, error]))
}

/** Of the channels of queued messages that send nothing now: `off`, or their status. */
async function channelStates(database: Database, messages: readonly Message[]): Promise<Map<string, string>> {
  const ids = [...new Set(messages.flatMap(({ status, channel_id }) => (status === 'queued' ? [channel_id] : [])))]
  if (ids.length === 0) return new Map()
  const rows = await database.execute<{ id: string; state: string }>(sql`
    select _id as id, case when is_active then status else 'off' end as state from channel
    where _id in (${sql.list(ids)}) and (not is_active or status <> 'connected')`)
  return new Map(rows.map(({ id, state }) => [id, state]))
}

/** The event of a delivery. */
export async function eventOfDelivery(database: Database, id: string): Promise<string | undefined> {
  const [row] = await readRows(database, Delivery, { id })
  return row?.event_id
}

/** The number of rows beyond `most`, where more than these were found. */
async function moreThan(database: Database, found: number, most: number, from: Sql): Promise<number> {
  if (found <= most) return 0
  const [row] = await database.execute<{ count: number }>(
    sql`select count(*)::int as count from (select 1 from ${from} limit ${COUNTED}) counted`,
  )
  return row!.count - most
}

async function auditOf(database: Database, request_id: string): Promise<Found<AuditEntry>> {
  const from = sql`audit_entry where request_id = ${request_id}`
  const rows = await database.execute(
    sql`select ${columnsOf(database, AuditEntry)} from ${from} order by _id limit ${AUDIT_ENTRIES + 1}`,
  )
  const more = await moreThan(database, rows.length, AUDIT_ENTRIES, from)
  return { rows: toRows(database, AuditEntry, rows.slice(0, AUDIT_ENTRIES)), more }
}

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
async function eventsWhere(database: Database, where: Sql, limit: number, from = EVENT): Promise<TracedEvent[]> {
  const rows = await database.execute<TracedEvent & { created_at: string | Date }>(sql`
    select id, project_id, type, subscription_ids, created_at, request_id,
      substring(data::text from '"message_id":"(msg_[0-9a-f]{24})"') as message_id
    from ${from} where ${where} order by id limit ${limit}`)
  return rows.map((row) => ({ ...row, created_at: new Date(row.created_at) }))
}

/** The events that name the message: those of its request, and those near the times that its row has. */
async function eventsOfMessage(database: Database, message: Message): Promise<Found<TracedEvent>> {
  const { id, project_id, request_id = null } = message
  const text = `%"message_id":"${id}"%`
  const own = sql`project_id = ${project_id} and data::text like ${text}`
  const moments = momentsOf(message).map(({ from, until }) => sql`id >= ${from} and id < ${until}`)
  const [unsearched, ...found] = await Promise.all([
    unsearchedOf(database, moments),
    request_id === null ? [] : eventsOfRequest(database, request_id, own),
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

async function eventsOfRequest(database: Database, request_id: string, own: Sql): Promise<TracedEvent[]> {
  const day = await firstIndexedEvent(database)
  return eventsWhere(database, sql`request_id = ${request_id} and id >= ${day} and ${own}`, EVENTS + 1)
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

type Span<Item> = { from: number; until: number; items: Item[] }

/** The spans from `SLACK_MS` before each item until `later_ms` after it, joined where they overlap. `items` ascend by `timeOf`. */
function spansOf<Item>(items: readonly Item[], timeOf: (item: Item) => number, later_ms: number): Span<Item>[] {
  const spans: Span<Item>[] = []
  for (const item of items) {
    const last = spans.at(-1)
    const [from, until] = [timeOf(item) - SLACK_MS, timeOf(item) + later_ms]
    if (last && from <= last.until) {
      last.until = until
      last.items.push(item)
    } else spans.push({ from, until, items: [item] })
  }
  return spans
}

const idAt = (prefix: string, ms: number) => `${prefix}_${objectIdAt(new Date(ms))}`

/** The moment of an id, in whole seconds. */
const momentOf = ({ id }: TracedEvent) => Number.parseInt(id.slice(4, 12), 16) * 1000

/**
 * The deliveries of events. Each was made in the turn of its event, for a subscription that the event names, so its id is near
 * that of the event.
 */
async function deliveriesOf(database: Database, events: TracedEvent[]): Promise<Found<Delivery>> {
  const rows: Delivery[] = []
  let more = 0
  const delivered = events.filter(({ subscription_ids }) => subscription_ids.length > 0)
  for (const { from, until, items } of spansOf(delivered, momentOf, SLACK_MS + 1000)) {
    const expected = items.reduce((sum, { subscription_ids }) => sum + subscription_ids.length, 0)
    const room = DELIVERIES - rows.length
    if (room === 0) {
      more += expected
      continue
    }
    const subscriptions = [...new Set(items.flatMap(({ subscription_ids }) => subscription_ids))]
    const found = await database.execute(sql`
      select ${columnsOf(database, Delivery)} from delivery
      where subscription_id in (${sql.list(subscriptions)}) and id >= ${idAt('dlv', from)} and id < ${idAt('dlv', until)}
        and event_id in (${sql.list(items.map(({ id }) => id))}) order by id limit ${room}`)
    rows.push(...toRows(database, Delivery, found))
    if (found.length === room) more += expected - room
  }
  return { rows, more }
}

/** The first attempts at each delivery. */
async function attemptsOf(database: Database, deliveries: Delivery[]): Promise<Attempt[]> {
  if (deliveries.length === 0) return []
  const ids = deliveries.map(({ id }) => id)
  const rows = await database.execute(sql`
    select ${columnsOf(database, Attempt)} from attempt
    where delivery_id in (${sql.list(ids)}) and attempt <= ${ATTEMPTS_OF_EACH} order by delivery_id, attempt`)
  return toRows(database, Attempt, rows)
}

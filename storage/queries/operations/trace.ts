/**
 * The rows that tell the way of a request, a message or an event: messages, events, deliveries, attempts and audit entries.
 *
 * Each read goes along an index, and has a bound.
 */
import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { AuditEntry } from '../../entities/access/audit_entry.ts'
import { Message } from '../../entities/messages/message.ts'
import type { Attempt } from '../../entities/webhooks/attempt.ts'
import { sql } from '../../sql/sql.ts'
import { findWaiting, type Waiting } from '../messages/messages.ts'
import { attemptsOf, deliveriesOf, receiverErrors, type TracedDelivery } from './traced_deliveries.ts'
import { eventsOfMessage, eventsOfRequest, eventsWhere, type TracedEvent } from './traced_events.ts'
import { type Found, moreThan } from './traced_rows.ts'

/** `channel_state`: set for a message that waits for a channel that is off or not connected. */
export type TracedMessage = Message & { waiting: Waiting | undefined; channel_state: string | undefined }

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
const AUDIT_ENTRIES = 100

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
  const [messages, events, audit] = await Promise.all([
    database.execute(
      sql`select ${columnsOf(database, Message)} from message where ${mine} order by id limit ${MESSAGES + 1}`,
    ),
    eventsOfRequest(database, request_id),
    auditOf(database, request_id),
  ])
  const found = {
    rows: toRows(database, Message, messages.slice(0, MESSAGES)),
    more: await moreThan(database, messages.length, MESSAGES, sql`message where ${mine}`),
  }
  return complete(database, found, events, audit)
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

/** Of the channels of queued messages that send nothing now: `off`, or their status. */
async function channelStates(database: Database, messages: readonly Message[]): Promise<Map<string, string>> {
  const ids = [...new Set(messages.flatMap(({ status, channel_id }) => (status === 'queued' ? [channel_id] : [])))]
  if (ids.length === 0) return new Map()
  const rows = await database.execute<{ id: string; state: string }>(sql`
    select _id as id, case when is_active then status else 'off' end as state from channel
    where _id in (${sql.list(ids)}) and (not is_active or status <> 'connected')`)
  return new Map(rows.map(({ id, state }) => [id, state]))
}

async function auditOf(database: Database, request_id: string): Promise<Found<AuditEntry>> {
  const from = sql`audit_entry where request_id = ${request_id}`
  const rows = await database.execute(
    sql`select ${columnsOf(database, AuditEntry)} from ${from} order by _id limit ${AUDIT_ENTRIES + 1}`,
  )
  const more = await moreThan(database, rows.length, AUDIT_ENTRIES, from)
  return { rows: toRows(database, AuditEntry, rows.slice(0, AUDIT_ENTRIES)), more }
}

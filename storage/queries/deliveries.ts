import type { Database } from '../database.ts'
import { Attempt } from '../entities/attempt.ts'
import type { DeliveryStatus } from '../entities/delivery.ts'
import { objectIdAt } from '../ids.ts'
import { readRows } from '../read_rows.ts'
import { now } from '../time.ts'
import { type Page, type PageOptions, toPage } from './keyset.ts'
import { type DeliveryRow, tables, toDate } from './tables.ts'

/** A delivery as the API shows it. `is_test` and `next_attempt_at` go beyond the contract. */
export type DeliveryRecord = ReturnType<typeof toDeliveryRecord>

export type DeliveryFilter = {
  status?: DeliveryStatus
  event_type?: string
  /** Created at or after `since`, and before `until`. */
  since?: string
  until?: string
}

/** The deliveries of a subscription, newest first. Subscriptions of other projects are not visible. */
export async function listDeliveries(
  database: Database,
  project_id: string,
  subscription_id: string,
  { status, event_type, since, until }: DeliveryFilter,
  { limit, cursor }: PageOptions,
): Promise<Page<DeliveryRecord>> {
  const rows = await tables(database)
    .selectFrom('delivery')
    .selectAll()
    .where('subscription_id', '=', subscription_id)
    .where('project_id', '=', project_id)
    .$if(cursor !== undefined, (query) => query.where('id', '<', cursor!))
    .$if(status !== undefined, (query) => query.where('status', '=', status!))
    .$if(event_type !== undefined, (query) => query.where('event_type', '=', event_type!))
    // Ids begin with their time: the same condition on ids excludes other days.
    .$if(since !== undefined, (query) => query.where('created_at', '>=', since!).where('id', '>=', firstId(since!, 0)))
    .$if(until !== undefined, (query) => query.where('created_at', '<', until!).where('id', '<', firstId(until!, 2)))
    // Implied by the status; stated so that the planner uses the index of unsuccessful deliveries.
    .$if(status !== undefined && status !== 'success', (query) => query.where('status', '<>', 'success'))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows.map(toDeliveryRecord), limit, ({ id }) => id)
}

/** One delivery of a subscription, or undefined. */
export async function findDelivery(
  database: Database,
  project_id: string,
  subscription_id: string,
  id: string,
): Promise<DeliveryRecord | undefined> {
  const row = await tables(database)
    .selectFrom('delivery')
    .selectAll()
    .where('id', '=', id)
    .where('subscription_id', '=', subscription_id)
    .where('project_id', '=', project_id)
    .executeTakeFirst()
  return row && toDeliveryRecord(row)
}

/** All attempts of a delivery, oldest first. */
export async function listAttempts(database: Database, delivery_id: string) {
  const rows = await readRows(database, Attempt, { delivery_id })
  return rows.sort((one, other) => one.attempt - other.attempt).map(({ delivery_id, ...record }) => record)
}

/** The smallest id of the time's second, or some seconds later: an id may be a second ahead of its row's time. */
function firstId(time: string, later_s: number): string {
  return `dlv_${objectIdAt(new Date(Date.parse(time) + later_s * 1000))}`
}

function toDeliveryRecord(row: DeliveryRow) {
  return {
    id: row.id,
    event_id: row.event_id,
    event_type: row.event_type,
    status: row.status,
    status_code: row.status_code,
    attempts: row.attempts,
    duration_ms: row.duration_ms,
    last_error: row.last_error,
    next_attempt_at: toDate(row.next_attempt_at),
    delivered_at: toDate(row.delivered_at),
    is_test: row.is_test,
    created_at: toDate(row.created_at),
  }
}

/** The newest delivery of each of these subscriptions, as pairs of project and delivery. */
export async function lastDeliveryIds(
  database: Database,
  subscriptions: { id: string; project_id: string }[],
): Promise<[string, string][]> {
  const found = await Promise.all(
    subscriptions.map(({ id }) =>
      tables(database)
        .selectFrom('delivery')
        .select(['project_id', 'id'])
        .where('subscription_id', '=', id)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst(),
    ),
  )
  return found.flatMap((row) => (row ? [[row.project_id, row.id] as [string, string]] : []))
}

/** The latest consecutive dead deliveries of a subscription: the time of the first, and the last error. */
export type DeadStreak = { since: Date; last_error: string | null }

/** `length`: the number of consecutive dead deliveries. */
export async function deadStreak(database: Database, subscription_id: string, length: number): Promise<DeadStreak> {
  const rows = await tables(database)
    .selectFrom('delivery')
    .select(['created_at', 'last_error'])
    .where('subscription_id', '=', subscription_id)
    .where('status', '=', 'dead')
    .orderBy('id', 'desc')
    .limit(Math.max(1, length))
    .execute()
  return { since: new Date(rows.at(-1)?.created_at ?? now()), last_error: rows[0]?.last_error ?? null }
}

import type { Database } from '../../database/database.ts'
import { columnsOf, readRows } from '../../database/read_rows.ts'
import { Attempt } from '../../entities/webhooks/attempt.ts'
import { Delivery, type DeliveryStatus } from '../../entities/webhooks/delivery.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { objectIdAt } from '../../values/ids.ts'
import { now } from '../../values/time.ts'
import type { Page, PageOptions } from '../common/keyset.ts'
import { readScanned } from '../common/scanned_page.ts'
import { type DeliveryRow, tables, toDate } from '../common/tables.ts'
import { lastGroupDeliveryIds } from './poll_groups.ts'

export type DeliveryFilter = {
  status?: DeliveryStatus | undefined
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
  filter: DeliveryFilter,
  { limit, cursor }: PageOptions,
): Promise<Page<Delivery>> {
  const along = [sql`subscription_id = ${subscription_id}`, ...alongDeliveries(project_id, filter, cursor)]
  const { status } = filter
  // Implied by the status; stated so that the planner uses the index of unsuccessful deliveries.
  const is_indexed = status !== undefined && status !== 'success'
  if (is_indexed) along.push(sql`status = ${status}`, sql`status <> 'success'`)
  const matching = matchingDeliveries(is_indexed ? { ...filter, status: undefined } : filter)
  const scan = { table: sql`delivery`, columns: columnsOf(database, Delivery), large: ['last_error'], along, matching }
  const page = await readScanned<DeliveryRow>(database, scan, limit)
  return { ...page, data: page.data.map(toDelivery) }
}

/** Conditions of an index in the order of ids. */
export function alongDeliveries(
  project_id: string,
  { since, until }: DeliveryFilter,
  cursor: string | undefined,
): Sql[] {
  const along = [sql`project_id = ${project_id}`]
  if (cursor !== undefined) along.push(sql`id < ${cursor}`)
  // Ids begin with their time: the same condition on ids excludes other days.
  if (since !== undefined) along.push(sql`created_at >= ${since}`, sql`id >= ${firstDeliveryId(since)}`)
  if (until !== undefined) along.push(sql`created_at < ${until}`, sql`id < ${firstDeliveryId(until, 2)}`)
  return along
}

/** The other conditions. */
export function matchingDeliveries({ status, event_type }: DeliveryFilter): Sql[] {
  const matching: Sql[] = []
  if (status !== undefined) matching.push(sql`status = ${status}`)
  if (event_type !== undefined) matching.push(sql`event_type = ${event_type}`)
  return matching
}

/** One delivery of a subscription, or undefined. */
export async function findDelivery(
  database: Database,
  project_id: string,
  subscription_id: string,
  id: string,
): Promise<Delivery | undefined> {
  const row = await tables(database)
    .selectFrom('delivery')
    .selectAll()
    .where('id', '=', id)
    .where('subscription_id', '=', subscription_id)
    .where('project_id', '=', project_id)
    .executeTakeFirst()
  return row && toDelivery(row)
}

/** All attempts of a delivery, oldest first. */
export async function listAttempts(database: Database, delivery_id: string): Promise<Attempt[]> {
  const rows = await readRows(database, Attempt, { delivery_id })
  return rows.sort((one, other) => one.attempt - other.attempt)
}

/** The smallest id of the time's second, or some seconds later: an id may be a second ahead of its row's time. */
export function firstDeliveryId(time: string, later_s = 0): string {
  return `dlv_${objectIdAt(new Date(Date.parse(time) + later_s * 1000))}`
}

/** Timestamps of such a row are texts. */
export function toDelivery(row: DeliveryRow): Delivery {
  const { next_attempt_at, delivered_at, created_at } = row
  return {
    ...row,
    next_attempt_at: toDate(next_attempt_at),
    delivered_at: toDate(delivered_at),
    created_at: toDate(created_at),
  }
}

/**
 * The newest deliveries of these subscriptions and of the groups of these projects, as pairs of project and delivery.
 */
export async function lastDeliveryIds(
  database: Database,
  subscriptions: { id: string; project_id: string }[],
  project_ids: string[],
): Promise<[string, string][]> {
  const [found, of_groups] = await Promise.all([
    Promise.all(
      subscriptions.map(({ id }) =>
        tables(database)
          .selectFrom('delivery')
          .select(['project_id', 'id'])
          .where('subscription_id', '=', id)
          .orderBy('id', 'desc')
          .limit(1)
          .executeTakeFirst(),
      ),
    ),
    lastGroupDeliveryIds(database, project_ids),
  ])
  return [...found.flatMap((row) => (row ? [[row.project_id, row.id] as [string, string]] : [])), ...of_groups]
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

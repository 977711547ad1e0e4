/**
 * The deliveries of a polled subscription: those of its groups, whose status follows from its
 * acknowledgements, and its own.
 */
import type { Database } from '../../database/database.ts'
import { columnsOf } from '../../database/read_rows.ts'
import { Delivery } from '../../entities/webhooks/delivery.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import type { Page, PageOptions } from '../common/keyset.ts'
import { MAX_PASSED, readScanned } from '../common/scanned_page.ts'
import type { DeliveryRow } from '../common/tables.ts'
import { alongDeliveries, type DeliveryFilter, firstDeliveryId, matchingDeliveries, toDelivery } from './deliveries.ts'
import { receiversOf } from './poll_groups.ts'

const LARGE = ['last_error']

/**
 * SQL of the newest deliveries for which the conditions hold, with the columns of `Delivery`. `after`: an id that the
 * conditions do not go behind.
 */
function newest(subscription_id: string, conditions: readonly Sql[], limit: number, after?: string): Sql {
  const own = sql`${subscription_id}`
  const is_own = sql`d.subscription_id = ${own}`
  return sql`(
    select d.id, d.subscription_id, d.project_id, d.event_id, d.event_type, d.ordering_key, d.status_code, d.retried_from,
      d.duration_ms, d.is_test, d.created_at, d.request_id, d.traceparent,
      case when ${is_own} then d.status else coalesce(ack.status, 'pending') end as status,
      case when ${is_own} then d.attempts when ack.status = 'success' then 1 else 0 end as attempts,
      case when ${is_own} then d.last_error when ack.status = 'dead' then 'subscription_disabled' end as last_error,
      case when ${is_own} then d.next_attempt_at when ack.status is null then d.created_at end as next_attempt_at,
      case when ${is_own} then d.delivered_at when ack.status = 'success' then ack.acknowledged_at end as delivered_at
    from ${receiversOf(subscription_id, after)}
      cross join lateral (
        select * from delivery where subscription_id = receiver.id and ${sql.join(conditions, ' and ')}
        order by id desc limit ${limit}
      ) d
      left join lateral (
        select status, acknowledged_at from poll_acknowledgement
        where subscription_id = ${own} and up_to >= d.id order by up_to limit 1
      ) ack on true
  ) delivery`
}

/** Newest first. Subscriptions of other projects are not visible. */
export async function listPolledDeliveries(
  database: Database,
  project_id: string,
  subscription_id: string,
  filter: DeliveryFilter,
  { limit, cursor }: PageOptions,
): Promise<Page<Delivery>> {
  const conditions = alongDeliveries(project_id, filter, cursor)
  const matching = matchingDeliveries(filter)
  const { since } = filter
  const after = since === undefined ? undefined : firstDeliveryId(since)
  const table = newest(subscription_id, conditions, matching.length > 0 ? MAX_PASSED : limit + 1, after)
  const scan = { table, columns: columnsOf(database, Delivery), large: LARGE, along: [sql`true`], matching }
  const page = await readScanned<DeliveryRow>(database, scan, limit)
  return { ...page, data: page.data.map(toDelivery) }
}

/** One delivery of a subscription, or undefined. */
export async function findPolledDelivery(
  database: Database,
  project_id: string,
  subscription_id: string,
  id: string,
): Promise<Delivery | undefined> {
  const conditions = [sql`id = ${id}`, sql`project_id = ${project_id}`]
  const [row] = await database.execute<DeliveryRow>(
    sql`select ${columnsOf(database, Delivery)} from ${newest(subscription_id, conditions, 1, id)}`,
  )
  return row && toDelivery(row)
}

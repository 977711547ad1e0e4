import type { FilterQuery } from '@mikro-orm/core'
import type { Database } from '../database.ts'
import { Delivery, type DeliveryStatus } from '../entities/delivery.ts'
import { type Page, type PageOptions, toPage } from './keyset.ts'

/** A delivery as the API shows it. `is_test` and `next_attempt_at` are shown beyond the contract. */
export type DeliveryRecord = ReturnType<typeof toDeliveryRecord>

/** The deliveries of a subscription, newest first. Whether the subscription is the caller's is checked here too. */
export async function listDeliveries(
  database: Database,
  project_id: string,
  subscription_id: string,
  filter: { status?: DeliveryStatus },
  { limit, cursor }: PageOptions,
): Promise<Page<DeliveryRecord>> {
  const where: FilterQuery<Delivery> & object = { subscription_id, project_id }
  if (cursor) where.id = { $lt: cursor }
  if (filter.status) where.status = filter.status
  const rows = await database
    .em()
    .find(Delivery, where, { orderBy: { id: 'desc' }, limit: limit + 1, disableIdentityMap: true })
  return toPage(rows.map(toDeliveryRecord), limit, ({ id }) => id)
}

/** One delivery of a subscription, or undefined. */
export async function findDelivery(
  database: Database,
  project_id: string,
  subscription_id: string,
  id: string,
): Promise<DeliveryRecord | undefined> {
  const row = await database.em().findOne(Delivery, { id, subscription_id, project_id }, { disableIdentityMap: true })
  return row ? toDeliveryRecord(row) : undefined
}

export function toDeliveryRecord(row: Delivery) {
  return {
    id: row.id,
    event_id: row.event_id,
    event_type: row.event_type,
    status: row.status,
    status_code: row.status_code ?? null,
    attempts: row.attempts,
    duration_ms: row.duration_ms ?? null,
    last_error: row.last_error ?? null,
    next_attempt_at: row.next_attempt_at ?? null,
    delivered_at: row.delivered_at ?? null,
    is_test: row.is_test,
    created_at: row.created_at,
  }
}

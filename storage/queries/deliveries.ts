import type { Database } from '../database.ts'
import type { DeliveryStatus } from '../entities/delivery.ts'
import { type Page, type PageOptions, toPage } from './keyset.ts'
import { type DeliveryRow, tables, toDate } from './tables.ts'

/** A delivery as the API shows it. `is_test` and `next_attempt_at` are shown beyond the contract. */
export type DeliveryRecord = ReturnType<typeof toDeliveryRecord>

/** The deliveries of a subscription, newest first. Those of another project's subscription are not seen. */
export async function listDeliveries(
  database: Database,
  project_id: string,
  subscription_id: string,
  { status }: { status?: DeliveryStatus },
  { limit, cursor }: PageOptions,
): Promise<Page<DeliveryRecord>> {
  const rows = await tables(database)
    .selectFrom('delivery')
    .selectAll()
    .where('subscription_id', '=', subscription_id)
    .where('project_id', '=', project_id)
    .$if(cursor !== undefined, (query) => query.where('id', '<', cursor!))
    .$if(status !== undefined, (query) => query.where('status', '=', status!))
    // Follows from the status; said so that the index of the others is used.
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

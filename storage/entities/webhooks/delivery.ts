import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { byDay } from '../by_day.ts'

/** `failed` with a `next_attempt_at` waits for another attempt; without one it is final. */
export type DeliveryStatus = 'pending' | 'success' | 'failed' | 'dead'

/** One event on its way to one subscription. Kept in daily tables. */
export const Delivery = defineEntity({
  name: 'Delivery',
  tableName: 'delivery',
  partitionBy: byDay('delivery', 'id'),
  properties: {
    id: p.text().primary(),
    subscription_id: p.text(),
    project_id: p.text(),
    event_id: p.text(),
    event_type: p.text(),
    /** Deliveries of a subscription with the same key are sent one after the other, in the order of their ids. */
    ordering_key: p.text().nullable(),
    status: p.text().$type<DeliveryStatus>(),
    status_code: p.integer().nullable(),
    attempts: p.integer(),
    /** Number of attempts made before a user last requested another delivery: the schedule counts from there. */
    retried_from: p.integer(),
    duration_ms: p.integer().nullable(),
    last_error: p.text().nullable(),
    next_attempt_at: p.datetime(3).nullable(),
    delivered_at: p.datetime(3).nullable(),
    is_test: p.boolean(),
    created_at: p.datetime(3),
    /** Those of its event: the request from which it came, and its trace where traces are on. Null for what Parley does by itself. */
    request_id: p.text().nullable(),
    traceparent: p.text().nullable(),
  },
})

export type Delivery = InferEntity<typeof Delivery>

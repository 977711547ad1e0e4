import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** `failed` with a `next_attempt_at` waits for another try; without one it is final. */
export type DeliveryStatus = 'pending' | 'success' | 'failed' | 'dead'

/** One event on its way to one subscription. */
export const Delivery = defineEntity({
  name: 'Delivery',
  tableName: 'delivery',
  properties: {
    id: p.text().primary(),
    subscription_id: p.text(),
    project_id: p.text(),
    event_id: p.text(),
    event_type: p.text(),
    status: p.text().$type<DeliveryStatus>(),
    status_code: p.integer().nullable(),
    attempts: p.integer(),
    duration_ms: p.integer().nullable(),
    last_error: p.text().nullable(),
    next_attempt_at: p.datetime(3).nullable(),
    delivered_at: p.datetime(3).nullable(),
    is_test: p.boolean(),
    created_at: p.datetime(3),
  },
})

export type Delivery = InferEntity<typeof Delivery>

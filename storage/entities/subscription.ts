import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** An outbound webhook. `secret` and `headers` are encrypted (`credentials.ts`); a deleted one keeps its row for its deliveries. */
export const Subscription = defineEntity({
  name: 'Subscription',
  tableName: 'subscription',
  properties: {
    id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    name: p.text(),
    url: p.text(),
    events: p.array<string>().columnType('text[]'),
    headers: p.text().nullable(),
    is_active: p.boolean(),
    secret: p.text(),
    secret_prefix: p.text(),
    /** Consecutive dead deliveries. */
    failure_count: p.integer(),
    disabled_reason: p.text().nullable(),
    last_delivery_at: p.datetime(3).nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    deleted_at: p.datetime(3).nullable(),
  },
})

export type Subscription = InferEntity<typeof Subscription>

import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** The stored answer of a request that carried an `Idempotency-Key`; kept 24 hours. */
export const Idempotency = defineEntity({
  name: 'Idempotency',
  tableName: 'idempotency',
  properties: {
    project_id: p.text().primary(),
    route: p.text().primary(),
    key: p.text().primary(),
    body_hash: p.text(),
    status: p.integer(),
    body: p.json<unknown>().columnType('json').nullable(),
    created_at: p.datetime(3),
  },
})

export type Idempotency = InferEntity<typeof Idempotency>

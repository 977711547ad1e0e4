import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/**
 * The stored answer of a request that carried an `Idempotency-Key`; kept 24 hours. Those of operators have no project:
 * `project_id` is empty.
 */
export const Idempotency = defineEntity({
  name: 'Idempotency',
  tableName: 'idempotency',
  properties: {
    project_id: p.text().primary(),
    route: p.text().primary(),
    key: p.text().primary(),
    /** Covers the bytes of the body. */
    body_hash: p.text(),
    /** Covers the JSON value of the body; null where a node of an earlier release wrote the row. */
    value_hash: p.text().nullable(),
    status: p.integer(),
    body: p.json<unknown>().columnType('json').nullable(),
    created_at: p.datetime(3),
  },
})

export type Idempotency = InferEntity<typeof Idempotency>

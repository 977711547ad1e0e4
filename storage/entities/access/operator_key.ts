import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** `read`: only reads. `support`: also operations that mend. `admin`: everything. */
export type OperatorRole = 'read' | 'support' | 'admin'

/** A key of the operator API. The key itself is never stored, only the SHA-256 of it (`hash`, hex). */
export const OperatorKey = defineEntity({
  name: 'OperatorKey',
  tableName: 'operator_key',
  properties: {
    _id: p.text().primary(),
    name: p.text(),
    role: p.text().$type<OperatorRole>(),
    /** The first characters of the key, so that people can tell their keys apart. */
    prefix: p.text(),
    hash: p.text(),
    /** Exact to a minute. */
    last_used_at: p.datetime(3).nullable(),
    revoked_at: p.datetime(3).nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type OperatorKey = InferEntity<typeof OperatorKey>

import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { byDay } from '../by_day.ts'

/** One attempt at a delivery: the request and the response. Kept in the daily table of its delivery. */
export const Attempt = defineEntity({
  name: 'Attempt',
  tableName: 'attempt',
  partitionBy: byDay('attempt', 'delivery_id'),
  properties: {
    delivery_id: p.text().primary(),
    /** Counted from 1. */
    attempt: p.integer().primary(),
    started_at: p.datetime(3),
    /** Null when there was no response. */
    status_code: p.integer().nullable(),
    duration_ms: p.integer(),
    error: p.text().nullable(),
    /** Without the values of configured headers. */
    headers_sent: p.json<Record<string, string>>().columnType('json'),
    /** The beginning of the response's body. */
    excerpt: p.text().nullable(),
  },
})

export type Attempt = InferEntity<typeof Attempt>

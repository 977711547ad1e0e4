import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { byDay } from '../by_day.ts'

/** An event of a project that had subscriptions for it. Kept in daily tables. */
export const Event = defineEntity({
  name: 'Event',
  tableName: 'event',
  partitionBy: byDay('event', 'id'),
  properties: {
    id: p.text().primary(),
    project_id: p.text(),
    type: p.text(),
    data: p.json<Record<string, unknown>>().columnType('json'),
    /** Subscriptions that matched when it happened: each has one delivery of it, created in the same transaction. */
    subscription_ids: p.array<string>().columnType('text[]'),
    created_at: p.datetime(3),
    /** The request from which it came, and its trace where traces are on. Null for what Parley does by itself. */
    request_id: p.text().nullable(),
    traceparent: p.text().nullable(),
  },
})

export type Event = InferEntity<typeof Event>

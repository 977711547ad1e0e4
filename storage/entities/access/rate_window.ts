import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** Time at which a window opened (milliseconds since the epoch), and the requests counted since. */
export type RateCount = { opened_at: number; count: number }
export type RateCounts = { minute: RateCount; hour: RateCount; day: RateCount; ingest: RateCount; poll: RateCount }

/** The rate windows of a project, written behind by its actor about once a second. */
export const RateWindow = defineEntity({
  name: 'RateWindow',
  tableName: 'rate_window',
  properties: {
    project_id: p.text().primary(),
    counts: p.json<RateCounts>(),
  },
})

export type RateWindow = InferEntity<typeof RateWindow>

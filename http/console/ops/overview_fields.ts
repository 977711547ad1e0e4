/** The overview as viewers get it. */
import * as v from 'valibot'
import { timestamp } from '../../../actors/mod.ts'
import { figures } from '../../routes/node_activity.ts'

const hot = v.array(
  v.object({
    project_id: v.string(),
    project: v.string(),
    company: v.string(),
    per_second: v.number(),
    share: v.number(),
  }),
)

const values = v.record(v.string(), v.number())

export const overview = v.object({
  at: timestamp,
  nodes: v.array(
    v.object({
      id: v.string(),
      host: v.string(),
      pid: v.number(),
      started_at: timestamp,
      release: v.nullable(v.string()),
      leaving: v.boolean(),
      is_connected: v.boolean(),
      lease_age_s: v.nullable(v.number()),
      partitions: v.number(),
      backlog: v.number(),
      figures: v.nullable(figures),
      cpu: v.pipe(v.nullable(v.number()), v.description('Processors in use since the reading before')),
      per_second: v.pipe(v.nullable(v.number()), v.description('Turns and requests since the reading before')),
    }),
  ),
  partitions: v.object({
    total: v.number(),
    owners: v.pipe(
      v.array(v.nullable(v.number())),
      v.description('The place in `nodes` of the owner of each partition, by its number; null without one'),
    ),
  }),
  backlogs: values,
  rates: values,
  hot,
  warnings: v.array(
    v.object({
      level: v.picklist(['bad', 'wary']),
      title: v.string(),
      advice: v.string(),
      place: v.nullable(v.string()),
    }),
  ),
})

export const sample = v.object({ at: timestamp, values, hot: values })

export type Overview = v.InferOutput<typeof overview>
export type OverviewNode = Overview['nodes'][number]

/** Present activity of the cluster, for `parley top` and for portals. */
import * as v from 'valibot'
import { named } from '../../../actors/mod.ts'
import type { Cluster } from '../../../runtime/mod.ts'
import { type Database, newDate, readLags } from '../../../storage/mod.ts'
import { warningOf } from '../../media/file_stores.ts'
import { type ActivityBoard, figures, tenantsOf } from '../../routes/node_activity.ts'
import type { Route } from '../../server/route/route.ts'
import { section } from '../../server/route/section.ts'
import { objectId, timestamp } from '../fields.ts'
import { operatorRoute } from '../operator_route.ts'
import { CLUSTER } from './cluster.ts'

const lag = (text: string) => v.pipe(v.number(), v.description(text))

const lags = v.object({
  messages: lag('Messages between actors that wait in the outbox'),
  sends: lag('Messages that wait to be sent; at most 100,000 are counted'),
  sends_oldest_s: lag('Seconds since the oldest of them was accepted'),
  webhooks: lag('Deliveries that wait for an attempt; at most 100,000 are counted'),
  webhooks_overdue_s: lag('Seconds by which the latest of them is overdue'),
  documents: lag('Documents that wait to be indexed'),
  documents_overdue_s: lag('Seconds by which the latest of them is overdue'),
  dead_letters: lag('Messages that are parked; at most 10,000 are counted'),
})

const activity = named(
  'Activity',
  v.object({
    at: timestamp,
    nodes: v.array(
      v.object({
        id: v.string(),
        host: v.string(),
        pid: v.number(),
        started_at: timestamp,
        leaving: v.boolean(),
        is_connected: v.boolean(),
        partitions: v.number(),
        files: v.optional(v.string()),
        keys: v.optional(v.array(v.string())),
        release: v.optional(v.string()),
        figures: v.nullable(figures),
      }),
    ),
    partitions: v.object({
      total: v.number(),
      without_owner: v.pipe(v.number(), v.description('Partitions that change hands, or whose owner is gone')),
    }),
    lags,
    hot: v.pipe(
      v.array(
        v.object({
          project_id: objectId,
          project: v.string(),
          company: v.string(),
          per_second: v.pipe(v.number(), v.description('Requests and messages that its actors handle a second')),
          share: v.pipe(v.number(), v.description('Part of all that is handled, from 0 to 1')),
        }),
      ),
      v.description('The projects that make most work, the busiest first'),
    ),
    warnings: v.array(v.string()),
  }),
)

export function activityRoutes(cluster: Cluster, board: ActivityBoard): Route[] {
  const read = shared((database: Database) => readActivity(cluster, board, database))
  return section('Cluster', CLUSTER, [
    operatorRoute({
      method: 'GET',
      path: '/admin/v1/activity',
      operation: 'get_activity',
      summary: 'Show what the nodes do, what waits, and the projects that make most work',
      status: 200,
      response: activity,
      read: (_, { database }) => read(database),
    }),
  ])
}

/** Requests that come while an answer is made get the same: it counts long queues, and asks all nodes. */
function shared<Value>(make: (database: Database) => Promise<Value>): (database: Database) => Promise<Value> {
  let under_way: Promise<Value> | undefined
  return (database) => {
    under_way ??= make(database).finally(() => {
      under_way = undefined
    })
    return under_way
  }
}

async function readActivity(cluster: Cluster, board: ActivityBoard, database: Database) {
  const { nodes, partitions } = await cluster.status()
  const ids = nodes.map(({ id }) => id)
  const [reports, lags] = await Promise.all([board.read(ids), readLags(database)])
  nodes.sort((a, b) => a.started_at - b.started_at || (a.id < b.id ? -1 : 1))
  const messages = partitions.reduce((sum, { backlog }) => sum + backlog, 0)
  const orphans = partitions.filter(({ owner }) => owner === null || !ids.includes(owner))
  return {
    at: newDate(),
    nodes: nodes.map(({ files: _, backlog: __, ...node }) => ({
      ...node,
      started_at: new Date(node.started_at).toISOString(),
      figures: reports.find((one) => one.node === node.id)?.figures ?? null,
    })),
    partitions: { total: partitions.length, without_owner: orphans.length },
    lags: { messages, ...lags },
    hot: await tenantsOf(database, reports),
    warnings: [warningOf(nodes)].filter((warning) => warning !== undefined),
  }
}

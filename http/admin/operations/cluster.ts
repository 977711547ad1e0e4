import * as v from 'valibot'
import { named } from '../../../actors/mod.ts'
import { type Cluster, Refusal } from '../../../runtime/mod.ts'
import { auditAct, readCluster, resumeCluster, warningOfKeys, warningOfQuiet } from '../../../storage/mod.ts'
import { warningOf } from '../../media/file_stores.ts'
import type { Route } from '../../server/route/route.ts'
import { section } from '../../server/route/section.ts'
import { timestamp } from '../fields.ts'
import { operatorRoute } from '../operator_route.ts'

const node = named(
  'ClusterNode',
  v.object({
    id: v.string(),
    host: v.string(),
    pid: v.number(),
    started_at: v.string(),
    leaving: v.pipe(v.boolean(), v.description('True while the node is drained or stops')),
    is_connected: v.pipe(
      v.boolean(),
      v.description(
        'True when the node is connected to the same broker as most nodes; a node without it gets no partitions',
      ),
    ),
    partitions: v.number(),
    backlog: v.pipe(v.number(), v.description('Messages accepted and not yet applied')),
    files: v.optional(
      v.pipe(v.string(), v.description('The store of uploaded files, which must be the same on all nodes')),
    ),
    keys: v.optional(
      v.pipe(
        v.array(v.string()),
        v.description('The ids of its keys of PARLEY_SECRET, the one that it seals with first'),
      ),
    ),
    release: v.optional(v.pipe(v.string(), v.description('The release of Parley that it runs'))),
  }),
)

const partition = named(
  'ClusterPartition',
  v.object({
    id: v.number(),
    owner: v.pipe(v.nullable(v.string()), v.description('A node id, or null while the partition changes hands')),
    epoch: v.pipe(v.number(), v.description('Raised with each change of owner')),
    backlog: v.pipe(v.number(), v.description('Messages committed and not yet applied')),
  }),
)

export const CLUSTER = 'The nodes, their partitions and their work.'

/** The nodes of the cluster and their partitions. */
export function clusterRoutes(cluster: Cluster): Route[] {
  return section('Cluster', CLUSTER, [
    operatorRoute({
      method: 'GET',
      path: '/admin/v1/cluster',
      operation: 'get_cluster',
      summary: 'List the live nodes, and the partitions with their owners',
      status: 200,
      response: v.object({
        nodes: v.array(node),
        partitions: v.array(partition),
        quiet_since: v.pipe(
          v.nullable(timestamp),
          v.description('Set while nothing is sent, because the database was restored or copied; see resume_cluster'),
        ),
        warnings: v.array(v.string()),
      }),
      async read(_, { database }) {
        const { quiet_since } = await readCluster(database)
        const { nodes, partitions } = await cluster.status()
        nodes.sort((a, b) => a.started_at - b.started_at || (a.id < b.id ? -1 : 1))
        return {
          nodes: nodes.map((one) => ({ ...one, started_at: new Date(one.started_at).toISOString() })),
          partitions,
          quiet_since,
          warnings: [
            warningOf(nodes),
            warningOfKeys(nodes),
            quiet_since ? warningOfQuiet(quiet_since) : undefined,
          ].filter((warning) => warning !== undefined),
        }
      },
    }),
    {
      ...operatorRoute({
        method: 'POST',
        path: '/admin/v1/cluster/nodes/:node/drain',
        operation: 'drain_node',
        summary: 'Move the partitions of a node to the others; the node keeps taking requests until it is stopped',
        status: 202,
        response: v.object({ node: v.string(), draining: v.literal(true) }),
        errors: ['NOT_FOUND'],
        async change({ params }, { database }) {
          const { node = '' } = params
          if (!(await cluster.drain(node))) throw new Refusal('NOT_FOUND')
          await auditAct(database, { target_kind: 'node', target_id: node, after: { draining: true } })
          return { node, draining: true as const }
        },
      }),
      params: { node: /^[0-9a-f]{12}$/ },
    },
    operatorRoute({
      method: 'POST',
      path: '/admin/v1/cluster/resume',
      operation: 'resume_cluster',
      summary: 'Let a cluster that is quiet send what waits: messages, webhooks and mails; after a second on all nodes',
      status: 200,
      response: v.object({ resumed: v.pipe(v.boolean(), v.description('False for a cluster that was not quiet')) }),
      async change(_, { database }) {
        const resumed = await resumeCluster(database)
        if (resumed)
          await auditAct(database, { target_kind: 'cluster', target_id: 'cluster', after: { quiet_since: null } })
        return { resumed }
      },
    }),
  ])
}

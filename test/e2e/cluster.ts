/** Several nodes in this process that share one database and one NATS, each with a port of its own. */

import { demoModels } from '../../http/app/demo/models.ts'
import { startApiNode } from '../../http/app/node/api_node.ts'
import type { ApiNode, Waits } from '../../http/app/node/place.ts'
import type { Config } from '../../http/app/settings/mod.ts'
import { createLog } from '../../http/server/log.ts'
import { type Log, partitionOf } from '../../runtime/mod.ts'
import { type Owner, TEST_SECRET } from '../support/mod.ts'
import { askRun } from '../support/shared.ts'
import { watchNode } from '../support/watched_fetch.ts'
import { type Answer, type Call, type Client, eventually, type Json, startClient } from './client.ts'
import { OPERATOR_KEY, type Outside, outside, settings, startSimulatorFor } from './fixture.ts'
import { type Judge, startSink } from './sink.ts'

export type ClusterNode = {
  id: string
  base_url: string
  /** Calls this node as the tenant's own `api` does. */
  call(token: string, method: string, path: string, json?: unknown, call?: Call): Promise<Answer>
  /** Returns the node's figures in Prometheus' text form. */
  metrics(): Promise<string>
  operator(method: string, path: string, json?: unknown): Promise<Answer>
  stop(): Promise<void>
}

/** A node of a cluster that other files may use at the same time. */
export type JoinedNode = Omit<ClusterNode, 'metrics' | 'stop'>

/** Two nodes that the files of a run share. Plain data, because it comes from another process. */
export type SharedCluster = { config: Config; nodes: { id: string; base_url: string }[] }

export type JoinedCluster = {
  config: Config
  nodes: JoinedNode[]
  http: Client
  /** The first node, with the simulator and the receiver of webhooks. */
  world: Outside & { config: Config }
}

export type TestCluster = {
  config: Config
  nodes: ClusterNode[]
  http: Client
  /** The first node, with the simulator and the receiver of webhooks. */
  world: Outside & { config: Config }
  /** Returns the node that owns the partition of an actor, or undefined while the partition changes hands. */
  ownerOf(address: string): Promise<ClusterNode | undefined>
  /** Starts another node, with settings of its own. */
  add(changes: Partial<Config>): Promise<ClusterNode>
  /** Gives everything that a node owns to the others, and waits until they have it. */
  drain(node: ClusterNode): Promise<void>
}

export type ClusterOptions = {
  nodes?: number
  config?: Partial<Config>
  /** The settings of one node, counted from 0. */
  config_of?: (node: number) => Partial<Config>
  waits?: Waits
  log?: Log
}

const WAITS: Waits = { confirm_ms: 20_000, send_ms: 5000, webhook_ms: 3000 }

/**
 * Joins the two nodes that the files of a run share, with a simulator and a receiver of webhooks of the test's own. A file
 * that stops or drains a node, looks for the owner of an actor or needs settings calls `startCluster`.
 */
export async function joinCluster(t: Judge): Promise<JoinedCluster> {
  const shared = await askRun<SharedCluster>('cluster')
  if (!shared) return startCluster(t)
  const { config } = shared
  const http = startClient(t)
  const sink = await startSink(t)
  const simulator = await startSimulatorFor(t)
  const nodes = shared.nodes.map(({ id, base_url }) => {
    watchNode(base_url)
    return { id, base_url, ...callsOf(http, base_url) }
  })
  return { config, nodes, http, world: { ...outside(http, nodes[0]!.base_url, simulator.url), sink, config } }
}

/** Starts a cluster for this test alone. */
export async function startCluster(t: Judge, options: ClusterOptions = {}): Promise<TestCluster> {
  const http = startClient(t)
  const sink = await startSink(t)
  const simulator = await startSimulatorFor(t)
  const given = await settings(t, { operator_key: OPERATOR_KEY, ...options.config })
  const config = { ...given, models: demoModels(given, simulator.url) }
  const waits = { ...WAITS, ...options.waits }
  const count = options.nodes ?? 2
  const nodes: ClusterNode[] = []
  const add = async (changes: Partial<Config> = {}) => {
    const log = options.log ?? createLog('error', process.stderr)
    const node = await startNode(t, http, { ...config, ...changes }, waits, log)
    nodes.push(node)
    return node
  }
  for (let n = 0; n < count; n++) await add(options.config_of?.(n))
  const view = async () => (await nodes[0]!.operator('GET', 'cluster')).body as { partitions: { owner: string }[] }
  const shares = (partitions: { owner: string }[]) =>
    nodes.map(({ id }) => partitions.filter(({ owner }) => owner === id).length)
  await eventually('the nodes share the partitions', async () => {
    const all = shares((await view()).partitions)
    return all.every((share) => share === config.partitions / count)
  })
  return {
    config,
    nodes,
    add,
    http,
    world: { ...outside(http, nodes[0]!.base_url, simulator.url), sink, config },
    async ownerOf(address) {
      const { owner } = (await view()).partitions[partitionOf(address, config.partitions)]!
      return nodes.find(({ id }) => id === owner)
    },
    async drain(node) {
      const answer = await node.operator('POST', `cluster/nodes/${node.id}/drain`)
      if (answer.status !== 202) throw new Error(`not drained: ${answer.text}`)
      await eventually('its partitions are with the others', async () => {
        const { partitions } = await view()
        return partitions.every(({ owner }) => owner !== null && owner !== node.id)
      })
    },
  }
}

async function startNode(t: Owner, http: Client, config: Config, waits: Waits, log: Log): Promise<ClusterNode> {
  const place = {
    database_url: config.database_url!,
    nats_url: config.nats_url!,
    secret: config.secret ?? TEST_SECRET,
    operator_key: OPERATOR_KEY,
    alone: false,
    shared_port: false,
    waits,
  }
  const node: ApiNode = await startApiNode({ ...config, port: 0 }, place, log)
  t.teardown(() => node.stop())
  const base_url = `http://127.0.0.1:${node.port}`
  return {
    id: node.id,
    base_url,
    ...callsOf(http, base_url),
    metrics: () => node.metrics(),
    stop: () => node.stop(),
  }
}

function callsOf(http: Client, base_url: string): Pick<ClusterNode, 'call' | 'operator'> {
  return {
    call: (token, method, path, json, call) => http(method, `${base_url}/v1/${path}`, { json, token, ...call }),
    operator: (method, path, json) => http(method, `${base_url}/admin/v1/${path}`, { json, token: OPERATOR_KEY }),
  }
}

/** Counts the answers of each status. */
export function statuses(answers: { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Returns every message of a tenant that matches the query. */
export async function allMessages(node: JoinedNode, token: string, query = ''): Promise<Json[]> {
  const all: Json[] = []
  for (let cursor = ''; ; ) {
    const { body } = await node.call(token, 'GET', `messages?limit=200${query}${cursor}`)
    all.push(...body.data)
    if (body.next_cursor === null) return all
    cursor = `&cursor=${body.next_cursor}`
  }
}

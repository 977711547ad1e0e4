/**
 * A whole Parley: servers when none are given, migrations, in development the demo tenant with its provider simulator,
 * and one node in this process or several in processes of their own.
 */
import { type Log, startServers, waitForServers } from '../../runtime/mod.ts'
import { confirmSecret, migrate, openDatabase } from '../../storage/mod.ts'
import type { Demo } from './demo/demo_file.ts'
import { developmentKeys } from './keys.ts'
import { startMetricsServer } from './metrics/metrics_server.ts'
import type { NodePlace, Waits } from './node/place.ts'
import { Stops } from './node/stops.ts'
import type { Config } from './settings/mod.ts'

export type Parley = {
  base_url: string
  /** Address of its metrics. */
  metrics_url: string
  /** Set in development. */
  demo: Demo | undefined
  /** Its nodes report not ready from now on, and work on until they are stopped. */
  leave(): void
  /** Finishes the work under way, then stops everything this start has started, in order. */
  stop(): Promise<void>
}

export type StartOptions = {
  log: Log
  /** Called with each step of a start, for people who wait. */
  step?: (text: string) => void
  waits?: Waits
  /** Aborted when the start is not wanted any more: it then rejects with the reason, as soon as nothing is half done. */
  given_up?: AbortSignal
}

/** Starts everything or nothing: after a failure nothing is left running. */
export async function startParley(config: Config, options: StartOptions): Promise<Parley> {
  const { log } = options
  const stops = new Stops(log)
  try {
    return await start(config, options, stops)
  } catch (error) {
    await stops.run()
    throw error
  }
}

async function start(
  config: Config,
  { log, step = () => {}, waits = {}, given_up }: StartOptions,
  stops: Stops,
): Promise<Parley> {
  const { data_dir } = config
  const own = !config.database_url && !config.nats_url
  // While the servers start.
  const loading = startOfNodes(config)
  loading.catch(() => {})
  let { database_url, nats_url } = config
  if (!database_url || !nats_url) {
    step('starting PostgreSQL and NATS')
    const servers = await startServers({ data_dir, postgres: !database_url, nats: !nats_url, log })
    stops.push(() => servers.stop())
    database_url ||= servers.local_database_url
    nats_url ||= servers.nats_url
  }
  const keys = config.environment === 'development' ? developmentKeys(data_dir) : undefined
  const operator_key = config.operator_key ?? keys?.operator_key
  const secret = config.secret ?? keys?.secret
  step('preparing the database')
  const open = { url: database_url, secret, pool_size: 2 }
  const database = await waitForServers('the PostgreSQL of DATABASE_URL', () => openDatabase(open), log, given_up)
  stops.push(() => database.close())
  await migrate(database, { log: (fields, text) => log.info(fields, text), signal: given_up })
  // Before anything is sealed, and before any node takes a partition.
  await confirmSecret(database)
  // With a database of its own a development start is a demo; an operator's database is never seeded.
  const demo = keys && !config.database_url ? await (await startOfDemo())(config, keys, database, stops) : undefined

  given_up?.throwIfAborted()
  step(config.nodes > 1 ? `starting ${config.nodes} nodes` : 'starting the node')
  const place: NodePlace = {
    database_url,
    nats_url,
    secret,
    operator_key,
    alone: own && config.nodes === 1,
    shared_port: config.nodes > 1,
    waits,
  }
  const startNodes = await loading
  const nodes = await startNodes(demo ? { ...config, models: demo.models } : config, place, log, given_up)
  stops.push(() => nodes.stop())
  const { metrics_host, metrics_port } = config
  const metrics = await startMetricsServer({ host: metrics_host, port: metrics_port, text: () => nodes.metrics() })
  stops.push(() => metrics.close())
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  const base_url = config.base_url ?? `http://${host}:${nodes.port}`
  const announced = await demo?.announce(base_url, operator_key!)
  const node = 'id' in nodes ? { node: nodes.id } : {}
  log.info({ ...node, url: base_url, metrics_url: metrics.url, nodes: config.nodes }, 'Parley is ready')
  return { base_url, metrics_url: metrics.url, demo: announced, leave: () => nodes.leave(), stop: () => stops.run() }
}

/** The parent of several nodes does without the code of a node, most of what there is. */
async function startOfNodes({ nodes }: Config) {
  if (nodes > 1) return (await import('./node_group.ts')).startNodeGroup
  return (await import('./node/api_node.ts')).startApiNode
}

async function startOfDemo() {
  return (await import('./demo/start_demo.ts')).startDemo
}

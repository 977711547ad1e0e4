/**
 * A whole Parley in this process: servers when none are given, migrations, the actor node, the HTTP server, and in
 * development the demo tenant with its provider simulator.
 */
import { join } from 'node:path'
import {
  channelActor,
  OutboundGuard,
  projectActor,
  subscriptionActor,
  WebhookSender,
  WhatsAppClient,
} from '../actors/mod.ts'
import { type Config, freePort, type Log, Node, startServers } from '../runtime/mod.ts'
import { migrate, openDatabase, type ProjectLimits } from '../storage/mod.ts'
import { adminRoutes } from './admin/mod.ts'
import { type Demo, writeDemo } from './demo/demo_file.ts'
import { startSimulatorProcess } from './demo/simulator_process.ts'
import { demoNumber, ensureDemoTenant } from './demo/tenant.ts'
import { engineMetrics } from './engine_metrics.ts'
import { developmentKeys, saveKeys } from './keys.ts'
import { providerHook } from './provider_hook.ts'
import { apiRoutes } from './routes/table.ts'
import { HttpServer } from './server.ts'

export type Parley = {
  base_url: string
  /** There in development. */
  demo: Demo | undefined
  /** Finishes what is under way, then stops everything this start has started, in order. */
  stop(): Promise<void>
}

export type StartOptions = {
  log: Log
  /** Told of each step of a start, for people who wait. */
  step?: (text: string) => void
  waits?: Waits
}

/** Milliseconds, each with a default that fits the world: tests set them shorter. */
export type Waits = {
  /** For the status callback of a message in doubt, before it is sent again. */
  confirm_ms?: number
  /** For the provider's answer to a send. */
  send_ms?: number
  /** For the whole of one webhook attempt. */
  webhook_ms?: number
}

/** Starts everything or nothing: after a failure nothing is left running. */
export async function startParley(config: Config, options: StartOptions): Promise<Parley> {
  const { log } = options
  const stops: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one().catch((error) => log.error({ error }, 'stopping failed'))
  }
  try {
    return await start(config, options, stops, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(
  config: Config,
  { log, step = () => {}, waits = {} }: StartOptions,
  stops: (() => Promise<void>)[],
  stop: () => Promise<void>,
): Promise<Parley> {
  const { data_dir } = config
  const development = config.environment === 'development'
  let { database_url, nats_url } = config
  if (!database_url || !nats_url) {
    step('starting PostgreSQL and NATS')
    const servers = await startServers({ data_dir, postgres: !database_url, nats: !nats_url, log })
    stops.push(() => servers.stop())
    database_url ||= servers.database_url
    nats_url ||= servers.nats_url
  }
  const keys = development ? developmentKeys(data_dir) : undefined
  const operator_key = config.operator_key ?? keys?.operator_key
  const secret = config.secret ?? keys?.secret
  const database = await openDatabase({
    url: database_url,
    secret,
    // Lanes hold one connection each while they commit.
    pool_size: config.pool_size + config.lanes,
    log: (message) => log.warn({}, message),
  })
  stops.push(() => database.close())
  step('preparing the database')
  await migrate(database)

  // With a database of its own a development start is a demo; somebody else's database is never seeded.
  const demo = keys && !config.database_url ? await startDemo(config, keys, database, stops) : undefined

  step('starting the node')
  const guard = new OutboundGuard({ allow_networks: config.allow_networks })
  const sender = new WebhookSender({ guard, deadline_ms: waits.webhook_ms })
  stops.push(() => sender.close())
  const whatsapp = new WhatsAppClient({ deadline_ms: waits.send_ms })
  stops.push(() => whatsapp.close())
  const node = await Node.start({
    database,
    nats_url,
    prefix: config.nats_prefix,
    replicas: config.nats_replicas,
    partitions: config.partitions,
    lanes: config.lanes,
    log,
    kinds: [
      projectActor(database),
      channelActor({
        database,
        provider: ({ channel_type }) => (channel_type === 'whatsapp' ? whatsapp : undefined),
        confirm_ms: waits.confirm_ms,
      }),
      subscriptionActor({ database, sender, schedule: config.webhook_schedule }),
    ],
  })
  stops.push(() => node.stop())
  const server = new HttpServer({
    runtime: node,
    database,
    config: {
      host: config.host,
      port: config.port,
      production: !development,
      trusted_proxies: config.trusted_proxies,
      operator_key: operator_key ?? undefined,
    },
    routes: [
      ...apiRoutes({
        provider: providerHook(node, database),
        allow_http: (url) => guard.checkUrl(url).ok,
      }),
      ...adminRoutes({ default_limits: limitsOf(config) }),
    ],
    readiness: () => node.readiness(),
    log,
  })
  engineMetrics(server.registry, node)
  const port = await server.listen()
  stops.push(() => server.close())
  const base_url = config.base_url ?? `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`
  return { base_url, demo: await demo?.announce(base_url, operator_key!), stop }
}

function limitsOf({ limit_minute, limit_hour, limit_day, limit_ingest_minute }: Config): ProjectLimits {
  return { minute: limit_minute, hour: limit_hour, day: limit_day, ingest_minute: limit_ingest_minute }
}

/** The simulator and the tenant; `announce` completes both once the address of the API is known. */
async function startDemo(
  config: Config,
  keys: ReturnType<typeof developmentKeys>,
  database: Awaited<ReturnType<typeof openDatabase>>,
  stops: (() => Promise<void>)[],
) {
  const { data_dir } = config
  const { access_token, app_secret, verify_token } = keys.simulator
  const number = { ...demoNumber, access_token, app_secret, verify_token }
  const options = { numbers: [number], journal: join(data_dir, 'simulator.jsonl') }
  // The same port as last time, unless somebody took it; never one the kernel picks, which could not be had again at once.
  const simulator = await startSimulatorProcess({ ...options, port: keys.simulator.port || (await freePort()) }).catch(
    async () => startSimulatorProcess({ ...options, port: await freePort() }),
  )
  stops.push(() => simulator.stop())
  keys.simulator.port = Number(new URL(simulator.url).port)
  saveKeys(data_dir, keys)
  const tenant = await ensureDemoTenant(database, {
    data_dir,
    keys,
    limits: limitsOf(config),
    simulator_url: simulator.url,
  })
  return {
    async announce(base_url: string, operator_key: string): Promise<Demo> {
      const webhook_url = `${base_url}/providers/whatsapp/${tenant.channels.whatsapp!.id}`
      const response = await fetch(`${simulator.url}/_control/numbers`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...number, webhook_url }),
      })
      if (!response.ok) throw new Error(`The simulator refused its number: ${await response.text()}`)
      const { token, company_id, project_id, channels, agent } = tenant
      const simulator_url = simulator.url
      const console_url = `${base_url}/console`
      const demo = {
        base_url,
        token,
        operator_key,
        company_id,
        project_id,
        channels,
        simulator_url,
        console_url,
        agent,
      }
      writeDemo(data_dir, demo)
      return demo
    },
  }
}

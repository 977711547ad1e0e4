/**
 * A PostgreSQL and a nats-server of the test's own, three nodes, a balancer before them, and tenants in every
 * partition.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Waits } from '../../http/app/node/place.ts'
import { partitionOf } from '../../runtime/mod.ts'
import { type Database, migrate, openDatabase } from '../../storage/mod.ts'
import { type Client, eventually, startClient } from '../e2e/client.ts'
import { makeTenant, OPERATOR_KEY, type Outside, outside, startSimulatorFor, type Tenant } from '../e2e/fixture.ts'
import { HistoryChecker } from '../e2e/history_checker.ts'
import { prepareLoad } from '../e2e/load.ts'
import { startSink } from '../e2e/sink.ts'
import { freePort, type Owner, TEST_SECRET, tempDir } from '../support/mod.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { type CrmPlace, prepareCrm } from './crm_work.ts'
import { type Link, Links } from './link.ts'
import { installAudit } from './network_audit.ts'
import { type Build, ParleyNode } from './node.ts'
import { prepareWatched, type Watched } from './readers.ts'
import type { Needs } from './scene.ts'
import { type NatsServer, type PostgresServer, startNats, startPostgres } from './servers.ts'

const NODES = 3
const PARTITIONS = 8
/**
 * `confirm_ms`, the wait of a message in doubt for its proof, is longer than any outage here, as it is in production.
 * The simulator repeats a refused callback twice a second.
 */
const WAITS = { confirm_ms: 15_000, send_ms: 2000, webhook_ms: 2000 }

/**
 * A provider that waits long for an answer tells late what it has taken, but before a message in doubt is sent again.
 */
const CALLBACK_MS = 3000

/** A tenant whose project is in this partition, and another one there, which readers watch. */
export type Place = {
  partition: number
  tenant: Tenant
  subscription_id: string
  history_checker: HistoryChecker
  crm: CrmPlace
  watched: Watched
}

export type Fleet = {
  /** The owner of processes that are started later. */
  owner: Owner
  links: Links
  directory: string
  /** The server that the nodes work with. */
  postgres: PostgresServer
  nats: NatsServer
  /** The nodes. Each has a link of its own to each server. */
  nodes: ParleyNode[]
  /** The link of `database`. */
  to_postgres: Link
  waits: Waits
  balancer: Balancer
  world: Outside
  http: Client
  /** A connection of the checker's own. */
  database: Database
  /** One place for each partition. */
  places: Place[]
}

/** Starts the fleet. `directory` keeps the logs and the messages that the provider accepted. */
export async function startFleet(t: Owner, directory: string, waits: Waits = WAITS): Promise<Fleet> {
  mkdirSync(directory, { recursive: true })
  const [postgres, nats] = await Promise.all([startPostgres(t), startNats(t)])
  const links = new Links(t)
  const to_postgres = await links.to(postgres.port)
  const database = await openDatabase({ url: to_postgres.through(postgres.url), pool_size: 3 })
  t.teardown(() => database.close())
  await migrate(database)
  await installAudit(postgres.url)
  const http = startClient(t)
  const sink = await startSink(t)
  const simulator = await startSimulatorFor(t, {
    latency_ms: 5,
    journal: join(directory, 'provider.jsonl'),
    log: { sent: 20_000 },
    webhooks: { retry_base_ms: 50, retry_cap_ms: 500, attempts: 1000, timeout_ms: CALLBACK_MS },
  })
  const env = {
    PARLEY_ENV: 'development',
    PARLEY_OPERATOR_KEY: OPERATOR_KEY,
    PARLEY_SECRET: TEST_SECRET,
    PARLEY_PARTITIONS: String(PARTITIONS),
    PARLEY_WEBHOOK_SCHEDULE: '0,0.2,0.5,1,1,2,2,2',
    PARLEY_POOL_SIZE: '6',
    PARLEY_LOG_LEVEL: 'info',
  }
  const nodes: ParleyNode[] = []
  for (let n = 1; n <= NODES; n++) {
    const [name, port] = [`node-${n}`, await freePort()]
    const log_file = join(directory, `${name}.log`)
    const [to_postgres, to_nats] = await Promise.all([links.to(postgres.port), links.to(nats.port)])
    const urls = { DATABASE_URL: to_postgres.through(postgres.url), NATS_URL: to_nats.through(nats.url) }
    const own = { ...env, ...urls, PARLEY_DATA_DIR: tempDir(t) }
    const build = { waits, newer: false }
    nodes.push(new ParleyNode(t, { name, port, log_file, env: own, build, to_postgres, to_nats }))
  }
  await startAll(nodes)
  const balancer = await startBalancer(t, nodes)
  const world = { ...outside(http, balancer.base_url, simulator.url), sink }
  const servers = { owner: t, links, directory, postgres, nats, nodes, to_postgres, waits }
  const fleet: Fleet = { ...servers, balancer, world, http, database, places: [] }
  await allThere(fleet)
  fleet.places = await settle(fleet)
  balancer.careless = true
  return fleet
}

/** Starts the first node alone, because it makes what the others share. */
async function startAll(nodes: readonly ParleyNode[]): Promise<void> {
  await nodes[0]!.start()
  await Promise.all(nodes.slice(1).map((node) => node.start()))
}

async function allThere(fleet: Fleet): Promise<void> {
  await eventually('all nodes are there', async () => (await shares(fleet)).every((share) => share > 0), 120_000)
}

/** Starts nodes again that run with other settings than wanted. */
export async function rebuild(fleet: Fleet, { newer = false, confirm_ms }: Needs): Promise<void> {
  const waits = confirm_ms === undefined ? fleet.waits : { ...fleet.waits, confirm_ms }
  const build: Build = { waits, newer }
  if (fleet.nodes.every((node) => isDeepStrictEqual(node.build, build))) return
  await Promise.all(fleet.nodes.map((node) => node.end('SIGTERM')))
  for (const node of fleet.nodes) node.build = build
  await startAll(fleet.nodes)
  await allThere(fleet)
}

/** Makes everybody work with another PostgreSQL. */
export async function moveTo(fleet: Fleet, postgres: PostgresServer): Promise<void> {
  fleet.postgres = postgres
  await Promise.all([...fleet.nodes, fleet].map(({ to_postgres }) => to_postgres.leadTo(postgres.port)))
}

/** Makes tenants until there are two in each partition. */
async function settle({ world, database }: Fleet): Promise<Place[]> {
  const tenants = new Map<number, Tenant[]>()
  while (tenants.size < PARTITIONS || [...tenants.values()].some((some) => some.length < 2)) {
    const tenant = await makeTenant(world)
    const partition = partitionOf(`project/${tenant.project_id}`, PARTITIONS)
    tenants.set(partition, [...(tenants.get(partition) ?? []), tenant])
  }
  return Promise.all(
    [...tenants].map(async ([partition, [tenant, other]]) => {
      const [subscription_id] = await prepareLoad(tenant!)
      const crm = await prepareCrm(world, tenant!)
      const watched = await prepareWatched(other!)
      const history_checker = new HistoryChecker(world, tenant!, database)
      await history_checker.overlook()
      return { partition, tenant: tenant!, subscription_id: subscription_id!, history_checker, crm, watched }
    }),
  )
}

/**
 * Returns the number of partitions that each of the three nodes owns, as the database says. Partitions of a dead owner
 * count for nobody.
 */
export async function shares({ nodes, world, database }: Fleet): Promise<number[]> {
  const answer = await world.operator('GET', 'cluster').catch(() => undefined)
  if (answer?.status !== 200) return nodes.map(() => 0)
  const alive = answer.body.nodes as { id: string; pid: number }[]
  const rows = await database.execute('select owner from partition')
  return nodes.map((node) => {
    const id = alive.find(({ pid }) => pid === node.pid)?.id
    return id === undefined ? 0 : rows.filter(({ owner }) => owner === id).length
  })
}

export { NODES, PARTITIONS }

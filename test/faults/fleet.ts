/** A PostgreSQL and a nats-server of its own, three nodes, a balancer before them, tenants in every partition. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Waits } from '../../http/api_node.ts'
import { partitionOf } from '../../runtime/mod.ts'
import { type Database, migrate, openDatabase } from '../../storage/mod.ts'
import { type Client, eventually, startClient } from '../parley/client.ts'
import { makeTenant, OPERATOR_KEY, type Outside, outside, startSimulatorFor, type Tenant } from '../parley/fixture.ts'
import { prepareLoad } from '../parley/load.ts'
import { startSink } from '../parley/sink.ts'
import { Witness } from '../parley/witness.ts'
import { freePort, type Owner, TEST_SECRET, tempDir } from '../support/mod.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { type CrmPlace, prepareCrm } from './crm_work.ts'
import { installAudit } from './network_audit.ts'
import { ParleyNode } from './node.ts'
import { type BreakableServer, startNats, startPostgres } from './servers.ts'

const NODES = 3
const PARTITIONS = 8
/**
 * How long a message in doubt waits for its proof: longer than any outage here, as it is in the world. The simulator
 * repeats a callback that was refused twice a second.
 */
const WAITS = { confirm_ms: 15_000, send_ms: 2000, webhook_ms: 2000 }

/** A tenant whose project is in this partition. */
export type Place = { partition: number; tenant: Tenant; subscription_id: string; witness: Witness; crm: CrmPlace }

export type Fleet = {
  directory: string
  postgres: BreakableServer
  nats: Awaited<ReturnType<typeof startNats>>
  nodes: ParleyNode[]
  balancer: Balancer
  world: Outside
  http: Client
  /** A connection of the checker's own. */
  database: Database
  /** One for each partition. */
  places: Place[]
}

/** `directory` keeps the logs and what the provider accepted. */
export async function startFleet(t: Owner, directory: string, waits: Waits = WAITS): Promise<Fleet> {
  mkdirSync(directory, { recursive: true })
  const [postgres, nats] = await Promise.all([startPostgres(t), startNats(t)])
  const database = await openDatabase({ url: postgres.url, pool_size: 2 })
  t.teardown(() => database.close())
  await migrate(database)
  await installAudit(postgres.url)
  const http = startClient(t)
  const sink = await startSink(t)
  const simulator = await startSimulatorFor(t, {
    latency_ms: 5,
    journal: join(directory, 'provider.jsonl'),
    log: { sent: 20_000 },
    webhooks: { retry_base_ms: 50, retry_cap_ms: 500, attempts: 1000, timeout_ms: 5000 },
  })
  const env = {
    PARLEY_ENV: 'development',
    PARLEY_OPERATOR_KEY: OPERATOR_KEY,
    PARLEY_SECRET: TEST_SECRET,
    PARLEY_PARTITIONS: String(PARTITIONS),
    PARLEY_WEBHOOK_SCHEDULE: '0,0.2,0.5,1,1,2,2,2',
    PARLEY_POOL_SIZE: '6',
    PARLEY_LOG_LEVEL: 'info',
    PARLEY_TEST_WAITS: JSON.stringify(waits),
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
  }
  const nodes: ParleyNode[] = []
  for (let n = 1; n <= NODES; n++) {
    const [name, port] = [`node-${n}`, await freePort()]
    const log_file = join(directory, `${name}.log`)
    nodes.push(new ParleyNode(t, { name, port, log_file, env: { ...env, PARLEY_DATA_DIR: tempDir(t) } }))
  }
  // The first alone: it makes what the others share.
  await nodes[0]!.start()
  await Promise.all(nodes.slice(1).map((node) => node.start()))
  const balancer = await startBalancer(t, nodes)
  const world = { ...outside(http, balancer.base_url, simulator.url), sink }
  const fleet = { directory, postgres, nats, nodes, balancer, world, http, database, places: [] as Place[] }
  await eventually('all nodes are there', async () => (await shares(fleet)).every((share) => share > 0), 30_000)
  fleet.places = await settle(fleet)
  balancer.careless = true
  return fleet
}

/** Makes tenants until there is one in each partition. */
async function settle({ world, database }: Fleet): Promise<Place[]> {
  const places = new Map<number, Tenant>()
  while (places.size < PARTITIONS) {
    const tenant = await makeTenant(world)
    const partition = partitionOf(`project/${tenant.project_id}`, PARTITIONS)
    if (!places.has(partition)) places.set(partition, tenant)
  }
  return Promise.all(
    [...places].map(async ([partition, tenant]) => {
      const [subscription_id] = await prepareLoad(tenant)
      const crm = await prepareCrm(world, tenant)
      const witness = new Witness(world, tenant, database)
      await witness.overlook()
      return { partition, tenant, subscription_id: subscription_id!, witness, crm }
    }),
  )
}

/** How many partitions each of the three nodes owns, as the database says; a dead owner's are nobody's. */
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

import pg from 'pg'
import { seedPeople } from '../ingest/seed.ts'
import { dataOf, EVENT_TYPE, FIELDS } from '../ingest/shape.ts'
import type { Load, Sample } from '../load/loop.ts'
import type { Peer } from '../peer.ts'
import { cpuSeconds, familyOf } from '../report/usage.ts'
import { type Provider, startProvider } from '../send/provider.ts'
import { sendUntilStored } from '../send/send_until_stored.ts'
import { Cluster } from '../servers/cluster.ts'
import { type Remote, startRemote } from '../servers/remote.ts'
import { CpuShare } from './cpu_share.ts'
import { INGEST, PROJECTS, type Tenant } from './shape.ts'

/** Share of a core that each node may use, and the one PostgreSQL of a cluster. Four nodes and PostgreSQL fit on two cores. */
const NODE_CORES = 0.25
const POSTGRES_CORES = 0.5

/** Figures: how much of its share was used, 1 being all of it. */
export const POSTGRES_USED = 'of its share used by PostgreSQL'
export const NODES_USED = 'of their shares used by the nodes'

const SCOPES = ['messages:write', 'messages:read', 'crm:events:write', 'crm:events:read']

type World = {
  cluster: Cluster
  provider: Provider
  load: Remote
  database: pg.Client
  shares: CpuShare[]
}

/** A cluster of `count` node processes. Each node and PostgreSQL have the same shares of CPU whatever `count` is. */
export function clusterPeer(name: string, count: number): Peer {
  const started: (() => unknown)[] = []
  let world: World
  const nodes = () => Object.fromEntries(world.cluster.nodes.map(({ child }, n) => [`node ${n + 1}`, child.pid]))
  return {
    name,
    async start(directory) {
      const provider = await startProvider()
      started.push(provider.stop)
      await provider.notify(null)
      const cluster = await Cluster.start(directory, count)
      started.push(() => cluster.stop())
      const database = new pg.Client({ connectionString: cluster.database_url })
      database.on('error', () => {})
      await database.connect()
      started.push(() => database.end())
      const tenants = await openTenants(cluster, database, provider)
      const ports = cluster.nodes.map(({ port }) => port)
      const event = { event_type: EVENT_TYPE, data: dataOf(1_234_567) }
      const load = await startRemote('load', import.meta.url, './load_host.ts', { ports, tenants, event })
      started.push(load.child.stop)
      world = { cluster, provider, load, database, shares: [] }
      for (const [role, pid] of Object.entries({ ...nodes(), postgres: cluster.servers.postgres! })) {
        const cores = role === 'postgres' ? POSTGRES_CORES : NODE_CORES
        const share = new CpuShare(`${count}-${role.replace(' ', '-')}`, cores)
        world.shares.push(share)
        started.unshift(() => share.remove())
        share.limit(familyOf(pid))
      }
    },
    async run(load: Load) {
      const { cluster, database } = world
      const ingest = load.variant === INGEST
      const counted = { ...nodes(), postgres: cluster.servers.postgres! }
      const before = cpuSeconds(counted)
      const from = performance.now()
      const sample = ingest
        ? await world.load.call<Sample>('run', load)
        : await sendUntilStored(database, world.load, load, ['sent'])
      const elapsed = (performance.now() - from) / 1000
      const after = cpuSeconds(counted)
      const used = (role: string) => after[role]! - before[role]!
      const all_nodes = Object.keys(nodes()).reduce((sum, role) => sum + used(role), 0)
      const figures = {
        [NODES_USED]: all_nodes / elapsed / (count * NODE_CORES),
        [POSTGRES_USED]: used('postgres') / elapsed / POSTGRES_CORES,
      }
      return { ...sample, figures }
    },
    processes: () => ({
      ...nodes(),
      ...world.cluster.servers,
      provider: world.provider.pid,
      load: world.load.child.pid,
    }),
    async stop() {
      for (const stop of started.reverse()) await stop()
    },
  }
}

/** Makes the projects, each with a WhatsApp number and a contact that has an open ticket. */
async function openTenants(cluster: Cluster, database: pg.Client, provider: Provider): Promise<Tenant[]> {
  const projects = await cluster.openProjects(PROJECTS, SCOPES, 'simulator', provider.url)
  const tenants: Tenant[] = []
  for (const { project_id, token } of projects) {
    const { rows } = await database.query('select company_id from project where _id = $1', [project_id])
    const { company_id } = rows[0]
    const type = { company_id, key: EVENT_TYPE, name: 'Order shipped', fields: FIELDS }
    await cluster.admin('POST', '/event-types', type)
    const [chat_user_id = ''] = await seedPeople(database, company_id, [project_id], 1)
    tenants.push({ token, chat_user_id })
  }
  return tenants
}

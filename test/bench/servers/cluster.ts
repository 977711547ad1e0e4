/** Some nodes on one PostgreSQL and one nats-server. Each node is a process with a port of its own. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { CREDENTIALS } from '../send/provider.ts'
import { type Child, type Server, startChild } from './child.ts'
import { startNats } from './nats.ts'
import { adminOf, OPERATOR_KEY, type OpenProject, openProject, type Parley } from './parley.ts'
import { freePort, statusOf } from './ports.ts'
import { startPostgres } from './postgres.ts'

const SERVE = fileURLToPath(new URL('../../../http/app/serve.ts', import.meta.url))
/** Longer than a node that comes or goes makes consoles read again, and the positions of before void. */
const CALM_MS = 10_000

export type ClusterNode = { child: Child; port: number; data_dir: string; metrics_port: number }

type Status = { nodes: { pid: number; partitions: number }[]; partitions: { owner: string | null }[] }

export class Cluster {
  readonly nodes: ClusterNode[] = []
  readonly database_url: string
  readonly #directory: string
  readonly #env: Record<string, string>
  readonly #program: string
  readonly #servers: Record<string, Server>

  private constructor(
    directory: string,
    env: Record<string, string>,
    program: string,
    servers: Record<string, Server>,
  ) {
    this.#directory = directory
    this.#env = env
    this.#program = program
    this.database_url = env.DATABASE_URL!
    this.#servers = servers
  }

  /** `more`: settings of all nodes. `program`: the file that each runs. */
  static async start(
    directory: string,
    count: number,
    more: Record<string, string> = {},
    program = SERVE,
  ): Promise<Cluster> {
    const postgres = await startPostgres(directory)
    const nats = await startNats(directory, 'default')
    const env = {
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
      PARLEY_ENV: 'development',
      PARLEY_HOST: '127.0.0.1',
      PARLEY_OPERATOR_KEY: OPERATOR_KEY,
      PARLEY_SECRET: 'secret-of-the-benchmarks',
      PARLEY_LOG_LEVEL: 'error',
      ...more,
    }
    const cluster = new Cluster(directory, env, program, { postgres: postgres.server, nats: nats.server })
    try {
      for (let place = 0; place < count; place++) await cluster.fill(place)
      await cluster.shared(count)
    } catch (error) {
      await cluster.stop()
      throw error
    }
    return cluster
  }

  /** Starts a node in this empty place. */
  async fill(place: number): Promise<void> {
    const [port, metrics_port] = [await freePort(), await freePort()]
    const data_dir = join(this.#directory, `node${place}`)
    const child = await startChild({
      name: 'node',
      command: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', this.#program],
      env: {
        ...this.#env,
        PARLEY_PORT: String(port),
        PARLEY_METRICS_PORT: String(metrics_port),
        PARLEY_DATA_DIR: data_dir,
      },
      ready: async () => (await statusOf(`http://127.0.0.1:${port}/ready`)) === 200,
    })
    this.nodes[place] = { child, port, data_dir, metrics_port }
  }

  /** Waits until `count` nodes own all partitions between them, in shares that differ by one at most. */
  async shared(count: number): Promise<void> {
    for (const end = Date.now() + 60_000; Date.now() < end; await pause(20)) {
      const living = this.nodes.filter(({ child }) => child.running())
      const { nodes, partitions } = await this.#status(living[0]!.port)
      if (partitions.some(({ owner }) => owner === null)) continue
      const shares = new Map<string, number>()
      for (const { owner } of partitions) shares.set(owner!, (shares.get(owner!) ?? 0) + 1)
      const sizes = [...shares.values()]
      if (nodes.length === count && sizes.length === count && Math.max(...sizes) - Math.min(...sizes) <= 1) return
    }
    throw new Error(`${count} nodes did not come to share the partitions`)
  }

  /** The value of a counter, of all nodes together. */
  async counter(name: string): Promise<number> {
    const values = this.nodes.map(async ({ metrics_port }) => {
      const text = await (await fetch(`http://127.0.0.1:${metrics_port}/metrics`)).text()
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    })
    return (await Promise.all(values)).reduce((sum, value) => sum + value, 0)
  }

  /** Waits until the start of the nodes concerns no console any more. */
  async calm(): Promise<void> {
    await pause(CALM_MS)
  }

  async #status(port: number): Promise<Status> {
    const headers = { authorization: `Bearer ${OPERATOR_KEY}` }
    const response = await fetch(`http://127.0.0.1:${port}/admin/v1/cluster`, { headers }).catch(() => undefined)
    return response?.ok ? ((await response.json()) as Status) : { nodes: [], partitions: [] }
  }

  /** The operator API, at the first node. */
  get admin(): Parley['admin'] {
    return adminOf(this.nodes[0]!.port)
  }

  /** Makes projects with a WhatsApp channel each. `provider` is that of the channel. */
  async openProjects(count: number, scopes: string[], provider: 'cloud' | 'simulator', api_base_url: string) {
    const { admin } = this
    const one = async () => {
      const project = await openProject({ admin }, scopes)
      const credentials = { ...CREDENTIALS, api_base_url }
      const { project_id } = project
      await admin('POST', '/channels', {
        project_id,
        channel_type: 'whatsapp',
        name: 'Benchmarks',
        provider,
        credentials,
      })
      return project
    }
    const projects: OpenProject[] = []
    while (projects.length < count) projects.push(...(await Promise.all(Array.from({ length: 8 }, one))))
    return projects
  }

  /** The processes of PostgreSQL and NATS. */
  get servers(): Record<string, number> {
    return Object.fromEntries(Object.entries(this.#servers).map(([role, { pid }]) => [role, pid]))
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map(({ child }) => child.stop()))
    for (const server of Object.values(this.#servers).reverse()) await server.stop()
  }
}

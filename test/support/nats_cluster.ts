import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager, StorageType } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { silentLog } from '../../runtime/log.ts'
import type { Guardian } from '../../runtime/servers/guardian.ts'
import { greets, natsBinary } from '../../runtime/servers/nats.ts'
import { natsOptions } from '../../runtime/servers/nats_options.ts'
import { freePort } from '../../runtime/servers/port.ts'
import { ServerProcess } from '../../runtime/servers/server_process.ts'

const TOKEN = 'cluster'
const PATIENCE_MS = 30_000
/** Starts of a cluster, each with other ports. */
const ATTEMPTS = 3

export type Member = {
  name: string
  /** The URL of this server alone. */
  url: string
  server: ServerProcess
  /** Deletes everything that the server's JetStream stored. Only while the server is down. */
  wipe(): void
}

export type NatsCluster = {
  /** Names all servers of the cluster. */
  url: string
  members: Member[]
  /** Starts the servers that are down. Resolves when the cluster can make streams of `members.length` replicas. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Sends SIGKILL to all servers. */
  kill(): Promise<void>
}

type Laid = Pick<NatsCluster, 'url' | 'members'>

type ClusterOptions = {
  /** Chooses so many ports that are free. */
  choosePorts?: (count: number) => Promise<number[]>
  /** Milliseconds in which the servers find each other. */
  patience_ms?: number
}

/**
 * Prepares a cluster of nats-servers in `directory`, ready to start. The cluster does not tell clients about servers
 * they do not know, so a test can put one server behind a proxy and cut it off. A cluster that does not form at its
 * first start gets other ports: the addresses are final once it has started.
 */
export async function prepareNatsCluster(
  directory: string,
  count: number,
  guardian: Guardian,
  { choosePorts = freePorts, patience_ms = PATIENCE_MS }: ClusterOptions = {},
): Promise<NatsCluster> {
  const layOut = async () => layOutCluster(directory, await choosePorts(2 * count), guardian)
  let laid = await layOut()
  let has_formed = false
  const each = async (work: (member: Member) => Promise<void>) => void (await Promise.all(laid.members.map(work)))
  const kill = () => each(({ server }) => server.kill())
  async function form(): Promise<void> {
    await each(async ({ server }) => {
      if (server.pid === undefined) await server.start()
    })
    await replicates(laid.url, count, patience_ms)
    has_formed = true
  }
  return {
    get url() {
      return laid.url
    },
    get members() {
      return laid.members
    },
    async start() {
      for (let attempt = 1; ; attempt++) {
        try {
          return await form()
        } catch (error) {
          if (has_formed || attempt === ATTEMPTS) throw error
          await kill()
          for (const { wipe } of laid.members) wipe()
          laid = await layOut()
        }
      }
    },
    stop: () => each(({ server }) => server.stop()),
    kill,
  }
}

/** Writes the configurations of servers with these ports: those for clients, then those for the other servers. */
function layOutCluster(directory: string, ports: number[], guardian: Guardian): Laid {
  const count = ports.length / 2
  const routes = ports.slice(count).map((port) => `nats://route:${TOKEN}@127.0.0.1:${port}`)
  const members = Array.from({ length: count }, (_, i): Member => {
    const name = `nats-${i + 1}`
    const home = join(directory, name)
    const store = join(home, 'jetstream')
    const config = join(home, 'nats.conf')
    const [port, route] = [ports[i]!, ports[count + i]!]
    mkdirSync(home, { recursive: true })
    writeFileSync(
      config,
      `listen: "127.0.0.1:${port}"
server_name: "${name}"
authorization { token: "${TOKEN}" }
max_payload: 8MB
jetstream { store_dir: ${JSON.stringify(store)} }
cluster {
  name: "test"
  listen: "127.0.0.1:${route}"
  authorization { user: "route", password: "${TOKEN}" }
  routes: ${JSON.stringify(routes)}
  no_advertise: true
}
`,
    )
    const url = `nats://${TOKEN}@127.0.0.1:${port}`
    const server = new ServerProcess(
      {
        name,
        command: natsBinary(),
        args: ['-c', config],
        cwd: '/',
        log_file: join(home, 'nats.log'),
        stop_signal: 'SIGTERM',
        ready_within_ms: PATIENCE_MS,
        // A check whether the port is taken would itself take the port for a moment, from the server that wants it.
        isReady: () => greets(port),
      },
      guardian,
      silentLog,
    )
    return { name, url, server, wipe: () => rmSync(store, { recursive: true, force: true }) }
  })
  return { url: members.map((member) => member.url).join(), members }
}

/** Waits until a stream can have all replicas: the servers have found each other and elected a leader. */
async function replicates(url: string, count: number, patience_ms: number): Promise<void> {
  const connection = await connect({ ...natsOptions(url), waitOnFirstConnect: true, reconnectTimeWait: 100 })
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 2000 })
    const probe = { name: 'probe', subjects: ['probe'], storage: StorageType.Memory, num_replicas: count }
    for (const end = Date.now() + patience_ms; ; await sleep(50)) {
      try {
        await manager.streams.add(probe)
        await manager.streams.delete('probe')
        return
      } catch (error) {
        if (Date.now() > end) throw error
      }
    }
  } finally {
    await connection.close()
  }
}

export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}

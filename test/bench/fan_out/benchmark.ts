/** One live event to thousands of sockets on two nodes, against socket.io with the adapter for Redis. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { benchmark } from '../benchmark.ts'
import { cpuRatioGoal, figureGoal, p99RatioGoal, ratioGoal } from '../report/goal.ts'
import { Cluster } from '../servers/cluster.ts'
import { openConsoleProject } from '../servers/console_project.ts'
import { startRedis } from '../servers/redis.ts'
import { startRemote } from '../servers/remote.ts'
import { fanOutPeer } from './fan_out_peer.ts'
import { AGAIN, MISSING, PORT_FILE } from './shape.ts'

const ONE = '5000 sockets, one event at a time'
const MANY = '5000 sockets, 16 events in flight'

const PEER = 'socket.io'
const PROJECT = '6743a1f0c2b7e9d4a1b2c3d4'

const ours = () =>
  fanOutPeer('parley', async (directory, started) => {
    const program = join(import.meta.dirname, 'node_host.ts')
    const cluster = await Cluster.start(directory, 2, { PARLEY_ADDRESS_PEOPLE: '20000' }, program)
    started(cluster)
    const { project_id, cookies } = await openConsoleProject(cluster, [])
    await cluster.calm()
    return {
      ports: cluster.nodes.map(({ port }) => port),
      publishers: cluster.nodes.map(({ data_dir }) => Number(readFileSync(join(data_dir, PORT_FILE), 'utf8'))),
      project_id,
      cookies,
      nodes: cluster.nodes.map(({ child }) => child.pid),
      servers: cluster.servers,
    }
  })

const theirs = () =>
  fanOutPeer(PEER, async (directory, started) => {
    const redis = await startRedis(directory)
    started(redis.child)
    const hosts = await Promise.all(
      [1, 2].map(async (n) => {
        const host = await startRemote(`socket.io ${n}`, import.meta.url, './socketio_host.ts', {
          redis_port: redis.port,
        })
        started(host.child)
        return host
      }),
    )
    const ports = await Promise.all(hosts.map((host) => host.call<{ port: number; publisher: number }>('ports')))
    return {
      ports: ports.map(({ port }) => port),
      publishers: ports.map(({ publisher }) => publisher),
      project_id: PROJECT,
      cookies: ['none=none'],
      nodes: hosts.map(({ child }) => child.pid),
      servers: { redis: redis.child.pid },
    }
  })

/** The benchmark `fan-out`. */
export const fanOut = benchmark('fan-out', 'one live event to 5000 sockets on two nodes', () => ({
  peers: [ours(), theirs()],
  scenarios: [
    { name: ONE, in_flight: 1, keys: 1 },
    { name: MANY, in_flight: 16, keys: 1 },
  ],
  goals: [ONE, MANY].flatMap((scenario) => [
    ratioGoal(scenario, PEER, 3),
    cpuRatioGoal(scenario, PEER, 3),
    p99RatioGoal(scenario, PEER, 1),
    figureGoal(scenario, 'parley', MISSING, 0),
    figureGoal(scenario, 'parley', AGAIN, 0),
  ]),
}))

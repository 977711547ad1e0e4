/** What is done to the servers and the nodes. Each ends with everything started again. */
import { LEASE_MS } from '../../runtime/membership.ts'
import { eventually, sleep } from '../parley/client.ts'
import { between, type Chance } from './chance.ts'
import { type Fleet, NODES } from './fleet.ts'
import type { ParleyNode } from './node.ts'
import type { BreakableServer } from './servers.ts'

/** What a fault leaves to be looked at once the cluster is well again. */
export type Aftermath = {
  /** What was done, with the numbers that were drawn. */
  what: string
  /** Transactions of a stopped node's lanes when others had its partitions: it may not add any to them. */
  lanes: { source: string; commits: string }[]
}

type Fault = (fleet: Fleet, random: Chance) => Promise<Aftermath>

const STOPPED_MS = 10_000
const clean = (what: string): Aftermath => ({ what, lanes: [] })

async function kill(server: BreakableServer, pause_ms: number): Promise<void> {
  await server.kill()
  await sleep(pause_ms)
  await server.start()
}

async function stop(server: BreakableServer, ms: number): Promise<void> {
  server.freeze()
  await sleep(ms)
  server.thaw()
}

async function restart(server: BreakableServer): Promise<void> {
  await server.stop()
  await server.start()
}

async function killNode(node: ParleyNode, pause_ms: number): Promise<void> {
  await node.end('SIGKILL')
  await sleep(pause_ms)
  await node.start()
}

async function restartNode(node: ParleyNode): Promise<void> {
  await node.end('SIGTERM')
  await node.start()
}

/** Stopped beyond its lease, so that others take what it has; then it goes on in the middle of what it was doing. */
async function freezeNode({ world, database }: Fleet, node: ParleyNode, ms: number): Promise<Aftermath['lanes']> {
  const { nodes } = (await world.operator('GET', 'cluster')).body as { nodes: { id: string; pid: number }[] }
  const id = nodes.find(({ pid }) => pid === node.pid)!.id
  node.signal('SIGSTOP')
  try {
    await sleep(ms)
    await eventually(`others took what ${node.name} (${id}) had`, async () => {
      const rows = await database.execute(`select count(*)::int as owned from partition where owner = '${id}'`)
      return rows[0]!.owned === 0
    })
    return await database.execute(`select source::text, commits::text from lane where node = '${id}'`)
  } finally {
    node.signal('SIGCONT')
  }
}

function anyNode(fleet: Fleet, random: Chance): ParleyNode {
  return fleet.nodes[between(random, 0, NODES - 1)]!
}

const matrix: Record<string, Fault> = {
  async 'node:SIGKILL'(fleet, random) {
    const [node, pause] = [anyNode(fleet, random), between(random, 0, 4000)]
    await killNode(node, pause)
    return clean(`${node.name}, started again after ${pause} ms`)
  },
  async 'node:SIGSTOP'(fleet, random) {
    const node = anyNode(fleet, random)
    const lanes = await freezeNode(fleet, node, STOPPED_MS)
    return { what: `${node.name} for ${STOPPED_MS} ms`, lanes }
  },
  async 'node:restart'(fleet, random) {
    const node = anyNode(fleet, random)
    await restartNode(node)
    return clean(node.name)
  },
}
for (const server of ['nats', 'postgres'] as const) {
  matrix[`${server}:SIGKILL`] = async (fleet, random) => {
    const pause = between(random, 0, 2000)
    await kill(fleet[server], pause)
    return clean(`started again after ${pause} ms`)
  }
  matrix[`${server}:SIGSTOP`] = async (fleet) => {
    await stop(fleet[server], STOPPED_MS)
    return clean(`for ${STOPPED_MS} ms`)
  }
  matrix[`${server}:restart`] = async (fleet) => {
    await restart(fleet[server])
    return clean('')
  }
}

/** Frozen for a little more than the lease. */
async function zombie(fleet: Fleet, random: Chance): Promise<Aftermath> {
  const [node, ms] = [anyNode(fleet, random), between(random, LEASE_MS + 500, LEASE_MS + 3000)]
  const lanes = await freezeNode(fleet, node, ms)
  return { what: `${node.name} for ${ms} ms or more`, lanes }
}

/** JetStream's store deleted while the broker is down. */
async function wipe({ nats }: Fleet, random: Chance): Promise<Aftermath> {
  const [killed, pause] = [random() < 0.5, between(random, 0, 1000)]
  await (killed ? nats.kill() : nats.stop())
  nats.wipe()
  await sleep(pause)
  await nats.start()
  return clean(`${killed ? 'SIGKILL' : 'SIGTERM'}, started again after ${pause} ms`)
}

/** A node and a server at once, or within a second of each other. */
async function double(fleet: Fleet, random: Chance): Promise<Aftermath> {
  const node = anyNode(fleet, random)
  const server = random() < 0.5 ? 'nats' : 'postgres'
  const how = ['SIGKILL', 'SIGSTOP', 'restart'] as const
  const [first, second] = [how[between(random, 0, 2)]!, how[between(random, 0, 2)]!]
  const [lag, pause, ms] = [between(random, 0, 1000), between(random, 0, 2000), between(random, 1000, 3500)]
  async function harmNode(): Promise<void> {
    if (first === 'SIGKILL') return killNode(node, pause)
    if (first === 'restart') return restartNode(node)
    node.signal('SIGSTOP')
    await sleep(ms)
    node.signal('SIGCONT')
  }
  async function harmServer(): Promise<void> {
    await sleep(lag)
    if (second === 'SIGKILL') return kill(fleet[server], pause)
    if (second === 'restart') return restart(fleet[server])
    return stop(fleet[server], ms)
  }
  await Promise.all([harmNode(), harmServer()])
  return clean(`${node.name} ${first}, ${server} ${second} ${lag} ms later; paused ${pause} ms, stopped ${ms} ms`)
}

export const faults: Record<string, Fault> = { ...matrix, zombie, wipe, double }

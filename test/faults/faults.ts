/** What is done to the servers and the nodes. Each ends with everything started again. */
import { LEASE_MS } from '../../runtime/lease.ts'
import { eventually, sleep } from '../parley/client.ts'
import { between, type Chance } from './chance.ts'
import { type Fleet, NODES } from './fleet.ts'
import type { ParleyNode } from './node.ts'
import type { BreakableServer } from './servers.ts'

/** Resolves to what was done, with the numbers that were drawn. */
type Fault = (fleet: Fleet, random: Chance) => Promise<string>

const STOPPED_MS = 10_000

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
async function freezeNode({ world, database }: Fleet, node: ParleyNode, ms: number): Promise<void> {
  const id = await eventually(`${node.name} is known`, async () => {
    const { body } = await world.operator('GET', 'cluster')
    return (body?.nodes as { id: string; pid: number }[] | undefined)?.find(({ pid }) => pid === node.pid)?.id
  })
  node.signal('SIGSTOP')
  try {
    await sleep(ms)
    await eventually(`others took what ${node.name} (${id}) had`, async () => {
      const rows = await database.execute(`select count(*)::int as owned from partition where owner = '${id}'`)
      return rows[0]!.owned === 0
    })
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
    return `${node.name}, started again after ${pause} ms`
  },
  async 'node:SIGSTOP'(fleet, random) {
    const node = anyNode(fleet, random)
    await freezeNode(fleet, node, STOPPED_MS)
    return `${node.name} for ${STOPPED_MS} ms`
  },
  async 'node:restart'(fleet, random) {
    const node = anyNode(fleet, random)
    await restartNode(node)
    return node.name
  },
}
for (const server of ['nats', 'postgres'] as const) {
  matrix[`${server}:SIGKILL`] = async (fleet, random) => {
    const pause = between(random, 0, 2000)
    await kill(fleet[server], pause)
    return `started again after ${pause} ms`
  }
  matrix[`${server}:SIGSTOP`] = async (fleet) => {
    await stop(fleet[server], STOPPED_MS)
    return `for ${STOPPED_MS} ms`
  }
  matrix[`${server}:restart`] = async (fleet) => {
    await restart(fleet[server])
    return ''
  }
}

/** Frozen for a little more than the lease. */
async function zombie(fleet: Fleet, random: Chance): Promise<string> {
  const [node, ms] = [anyNode(fleet, random), between(random, LEASE_MS + 500, LEASE_MS + 3000)]
  await freezeNode(fleet, node, ms)
  return `${node.name} for ${ms} ms or more`
}

/** JetStream's store deleted while the broker is down. */
async function wipe({ nats }: Fleet, random: Chance): Promise<string> {
  const [killed, pause] = [random() < 0.5, between(random, 0, 1000)]
  await (killed ? nats.kill() : nats.stop())
  nats.wipe()
  await sleep(pause)
  await nats.start()
  return `${killed ? 'SIGKILL' : 'SIGTERM'}, started again after ${pause} ms`
}

/** A node and a server at once, or within a second of each other. */
async function double(fleet: Fleet, random: Chance): Promise<string> {
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
  return `${node.name} ${first}, ${server} ${second} ${lag} ms later; paused ${pause} ms, stopped ${ms} ms`
}

export const faults: Record<string, Fault> = { ...matrix, zombie, wipe, double }

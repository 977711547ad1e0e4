/** Processes killed, stopped and restarted, and a broker that forgets all it stored. */
import { LEASE_MS } from '../../../runtime/cluster/lease.ts'
import { eventually, sleep } from '../../e2e/client.ts'
import { between } from '../chance.ts'
import type { Fleet } from '../fleet.ts'
import type { ParleyNode } from '../node.ts'
import { anyNode, busyNode, commitMark, type Fault, idOf, type Scene } from '../scene.ts'
import type { BreakableServer } from '../servers.ts'

type Strike = Fault['strike']

const STOPPED_MS = 10_000
/** Milliseconds in which an expected commit comes. Otherwise the fault strikes without it. */
const AWAITED_MS = 3000

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

/**
 * Stops a node beyond its lease, so that others take its partitions. Then the node goes on in the middle of its work.
 */
async function freezeNode(
  fleet: Fleet,
  node: ParleyNode,
  ms: number,
  strike: () => unknown = () => node.signal('SIGSTOP'),
) {
  const id = await idOf(fleet, node)
  await strike()
  try {
    await sleep(ms)
    await eventually(`others took what ${node.name} (${id}) had`, async () => {
      const rows = await fleet.database.execute(`select count(*)::int as owned from partition where owner = '${id}'`)
      return rows[0]!.owned === 0
    })
  } finally {
    node.signal('SIGCONT')
  }
}

const matrix: Record<string, Strike> = {
  async 'node:SIGKILL'(scene) {
    const [node, pause] = [anyNode(scene), between(scene.random, 0, 4000)]
    await killNode(node, pause)
    return `${node.name}, started again after ${pause} ms`
  },
  async 'node:SIGSTOP'(scene) {
    const node = anyNode(scene)
    await freezeNode(scene.fleet, node, STOPPED_MS)
    return `${node.name} for ${STOPPED_MS} ms`
  },
  async 'node:restart'(scene) {
    const node = anyNode(scene)
    await restartNode(node)
    return node.name
  },
}
for (const server of ['nats', 'postgres'] as const) {
  matrix[`${server}:SIGKILL`] = async ({ fleet, random }) => {
    const pause = between(random, 0, 2000)
    await kill(fleet[server], pause)
    return `started again after ${pause} ms`
  }
  matrix[`${server}:SIGSTOP`] = async ({ fleet }) => {
    await stop(fleet[server], STOPPED_MS)
    return `for ${STOPPED_MS} ms`
  }
  matrix[`${server}:restart`] = async ({ fleet }) => {
    await restart(fleet[server])
    return ''
  }
}

/** Freezes a node for a little more than the lease. */
async function zombie(scene: Scene): Promise<string> {
  const [node, ms] = [anyNode(scene), between(scene.random, LEASE_MS + 500, LEASE_MS + 3000)]
  await freezeNode(scene.fleet, node, ms)
  return `${node.name} for ${ms} ms or more`
}

/**
 * Freezes a node for long, at the moment when PostgreSQL has a commit of the node whose answer the node has not read.
 * When the node goes on, others have done what that commit allowed it to do.
 */
const standstill: Fault = {
  needs: (random) => ({ confirm_ms: random() < 0.7 ? between(random, 4000, 8000) : 15_000 }),
  async strike(scene) {
    const { fleet, random, workload } = scene
    const [node, ms] = [await busyNode(scene), between(random, 5000, 30_000)]
    const mark = commitMark(workload)
    let caught = false
    await freezeNode(fleet, node, ms, async () => {
      caught = await node.to_postgres.answerFrom(mark, 'hold', AWAITED_MS)
      node.signal('SIGSTOP')
      // The answer waits for the node in its socket.
      await node.to_postgres.answer('pass')
    })
    const when = caught ? `while "${mark}" was committed` : 'between commits'
    return `${node.name} for ${ms} ms or more, ${when}, confirm_ms ${node.build.waits.confirm_ms}`
  },
}

/** Deletes JetStream's store while the broker is down. */
async function wipe({ fleet: { nats }, random }: Scene): Promise<string> {
  const [killed, pause] = [random() < 0.5, between(random, 0, 1000)]
  await (killed ? nats.kill() : nats.stop())
  nats.wipe()
  await sleep(pause)
  await nats.start()
  return `${killed ? 'SIGKILL' : 'SIGTERM'}, started again after ${pause} ms`
}

/** Strikes a node and a server at once, or within a second of each other. */
async function double(scene: Scene): Promise<string> {
  const { fleet, random } = scene
  const node = anyNode(scene)
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

export const processes: Record<string, Fault> = {
  ...Object.fromEntries(
    Object.entries({ ...matrix, zombie, wipe, double }).map(([name, strike]) => [name, { strike }]),
  ),
  standstill,
}

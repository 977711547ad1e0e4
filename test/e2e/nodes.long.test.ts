/** Several nodes behind one port: they share the work, are killed and restarted under load, and are drained. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { eventually, sleep } from './client.ts'
import { makeTenant, OPERATOR_KEY } from './fixture.ts'
import { startKillable } from './killable.ts'
import { checkLoad, startLoad } from './load.ts'

const CLI = fileURLToPath(new URL('../../http/cli/parley.ts', import.meta.url))
const PARTITIONS = 24

type Cluster = {
  nodes: { id: string; pid: number; partitions: number; leaving: boolean }[]
  partitions: { owner: string | null }[]
}

t.test('three nodes behind one port: even shares, kill -9, restarts and a drain, with nothing lost', async (t) => {
  const world = await startKillable(t, {
    waits: { confirm_ms: 15_000, send_ms: 5000 },
    simulator: { latency_ms: 5 },
    env: () => ({
      PARLEY_NODES: '3',
      PARLEY_PARTITIONS: String(PARTITIONS),
      PARLEY_WEBHOOK_SCHEDULE: '0,0.2,0.2,0.2,0.2',
      PARLEY_POOL_SIZE: '6',
    }),
  })
  const { http, base_url, config } = world
  const parley = async (...args: string[]): Promise<Cluster> => {
    const keys = ['--base-url', base_url, '--operator-key', OPERATOR_KEY, '--json']
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, 'cluster', ...args, ...keys])
    return JSON.parse(stdout)
  }
  const status = async (): Promise<Cluster> => {
    // A killed node takes its connections along.
    const answer = await http('GET', `${base_url}/admin/v1/cluster`, { token: OPERATOR_KEY }).catch(() => undefined)
    return answer?.status === 200 ? answer.body : { nodes: [], partitions: [] }
  }
  const even = async () => {
    const { nodes, partitions } = await status()
    const owned = nodes.map(({ id }) => partitions.filter(({ owner }) => owner === id).length)
    return nodes.length === 3 && owned.every((count) => count === PARTITIONS / 3) ? nodes : undefined
  }
  const shared = async (what: string) => (await eventually(what, even)) as Cluster['nodes']
  const nodes = await shared('the nodes share the partitions')

  const tenant = await makeTenant(world)
  const load = await startLoad(tenant)
  await sleep(500)
  process.kill(nodes[0]!.pid, 'SIGKILL')
  const afterKill = (await eventually('another takes its place', async () => {
    const all = await even()
    return all?.some(({ id }) => id === nodes[0]!.id) ? undefined : all
  })) as Cluster['nodes']
  await sleep(300)
  for (const { id, pid } of afterKill.slice(0, 2)) {
    process.kill(pid, 'SIGTERM')
    await eventually('it is replaced', async () => {
      const all = await even()
      return all && !all.some((one) => one.id === id) ? all : undefined
    })
  }
  const [{ id: drained }] = (await shared('all is well again')) as [Cluster['nodes'][number]]
  await parley('drain', drained)
  const { nodes: left, partitions } = await parley('status')
  t.equal(partitions.filter(({ owner }) => owner === drained).length, 0, 'a drained node owns nothing')
  t.equal(left.find(({ id }) => id === drained)?.leaving, true)
  await load.stop()
  await checkLoad(t, world, tenant, load, config.database_url!)
  t.equal(await world.process().end('SIGTERM'), 0, world.process().said())
})

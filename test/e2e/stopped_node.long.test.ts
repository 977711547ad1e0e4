/**
 * A node is stopped for 30 s in the middle of its work, while another one takes over, and then goes on. Nothing may be lost,
 * and nothing done twice.
 */
import t from 'tap'
import { partitionOf } from '../../runtime/mod.ts'
import { openDatabase } from '../../storage/mod.ts'
import { freePort, TEST_SECRET, tempDir } from '../support/mod.ts'
import { eventually, type Json, sleep } from './client.ts'
import { made, makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'
import { holds, kinds, type Stage, type Work } from './stopped_work.ts'

/** Many times the length of a lease. */
const STOPPED_MS = 30_000
/** A busy machine needs long for an answer and for callbacks; the calls are held for less than that. */
const WAITS = { confirm_ms: 20_000, send_ms: 15_000, webhook_ms: 10_000 }
const ENV = { PARLEY_SECRET: TEST_SECRET }

// Each round stops the node for half a minute.
t.setTimeout(1_200_000)

t.test('what a node was in the middle of when it was stopped is done once', async (t) => {
  const stopped = await startKillable(t, { waits: WAITS, env: () => ENV })
  const config = { ...stopped.config, port: await freePort(), data_dir: tempDir(t) }
  const world = await startKillable(t, { config, waits: WAITS, env: () => ENV })
  const database = await openDatabase({ url: config.database_url!, pool_size: 2 })
  t.teardown(() => database.close())
  const { pid } = stopped.process()

  const isOwned = async (address: string): Promise<boolean> => {
    const { nodes, partitions } = (await made(() => world.operator('GET', 'cluster'))) as Json
    const { id } = nodes.find((node: Json) => node.pid === pid) ?? {}
    return id !== undefined && partitions[partitionOf(address, partitions.length)].owner === id
  }
  const owned: Stage['owned'] = (make, address) =>
    eventually('it belongs to the node', async () => {
      const one = await make()
      return (await isOwned(address(one))) && one
    })
  const tenant = () =>
    owned(
      () =>
        owned(
          () => makeTenant(world),
          ({ project_id }) => `project/${project_id}`,
        ),
      ({ number }) => `channel/${number.channel_id}`,
    )

  // On a busy machine a piece of work may be over before the node is stopped. It is done again then.
  for (let names = Object.keys(kinds); names.length > 0; ) {
    const works = new Map<string, Work>()
    await Promise.all(
      names.map(async (name) => void works.set(name, await kinds[name]!({ world, database, tenant, owned }))),
    )
    for (const name of names) await works.get(name)!.begin()
    process.kill(pid, 'SIGSTOP')
    const missed: string[] = []
    for (const name of names) if (!(await holds(database, works.get(name)!.under_way))) missed.push(name)
    await sleep(STOPPED_MS)
    process.kill(pid, 'SIGCONT')
    await made(world.control('DELETE', 'faults'))
    for (const name of names) t.same(await works.get(name)!.findings(), [], name)
    t.same(await database.execute('select * from dead_letter'), [], 'no message was parked')
    names = missed
  }
  for (const node of [stopped, world]) t.equal(await node.process().end('SIGTERM'), 0, node.process().said())
})

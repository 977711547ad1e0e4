/**
 * The owner of a project stands still, or loses the answers of its commits, in the middle of what agents have asked for.
 * Another node goes on; then the owner comes back.
 */
import t from 'tap'
import { partitionOf } from '../../runtime/mod.ts'
import { openDatabase } from '../../storage/mod.ts'
import { between, chance } from '../faults/chance.ts'
import { freePort, TEST_SECRET, tempDir } from '../support/mod.ts'
import { prepareAgentWork } from './agent_work.ts'
import { eventually, type Json, sleep } from './client.ts'
import { makeTenant, type Tenant } from './fixture.ts'
import { type Killable, startKillable } from './killable.ts'
import { type Line, startLine } from './line.ts'

const SEED = Number(process.env.PARLEY_TEST_SEED ?? 1)
const ROUNDS = Number(process.env.PARLEY_TEST_ROUNDS ?? 2)
/** Longer than a lease. */
const STOPPED_MS = [4000, 9000] as const
const CUTS = 5
/** On a busy machine the status callbacks of a stopped node take seconds to arrive again. */
const WAITS = { confirm_ms: 15_000, send_ms: 2000, erasure_ask_ms: 1000 }

// Processes start slowly on a busy machine.
t.setTimeout(Math.max(600_000, ROUNDS * 150_000))

/** A tenant whose project belongs to the node that will be stopped. */
function tenantOfOwner(owner: Killable, other: Killable): Promise<Tenant> {
  return eventually('a project of the owner', async () => {
    const tenant = await makeTenant(other)
    const { nodes, partitions } = (await other.operator('GET', 'cluster')).body
    const { id } = nodes.find(({ pid }: Json) => pid === owner.process().pid) ?? {}
    const at = partitionOf(`project/${tenant.project_id}`, partitions.length)
    return id !== undefined && partitions[at].owner === id && tenant
  })
}

/** Stops the process for as long as others need to take its work, and lets it go on. */
async function stop(node: Killable, stopped_ms: number): Promise<void> {
  process.kill(node.process().pid, 'SIGSTOP')
  await sleep(stopped_ms)
  process.kill(node.process().pid, 'SIGCONT')
}

/** Loses the answers of what is under way to the database. */
async function cut(line: Line): Promise<void> {
  for (let n = 0; n < CUTS; n++) {
    line.cut()
    await sleep(300)
  }
}

t.test('all that agents asked for is done once', async (t) => {
  const { promise, resolve } = Promise.withResolvers<Line>()
  const owner = await startKillable(t, {
    waits: WAITS,
    async env({ database_url }) {
      const line = await startLine(t, database_url!)
      resolve(line)
      return { PARLEY_SECRET: TEST_SECRET, DATABASE_URL: line.url }
    },
  })
  const line = await promise
  const config = { ...owner.config, port: await freePort(), data_dir: tempDir(t) }
  const other = await startKillable(t, { config, waits: WAITS, env: () => ({ PARLEY_SECRET: TEST_SECRET }) })
  const database = await openDatabase({ url: owner.config.database_url!, pool_size: 2 })
  t.teardown(() => database.close())
  const random = chance(SEED)
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now()
    const work = await prepareAgentWork(other, database, await tenantOfOwner(owner, other), random)
    const done = work.begin()
    await sleep(between(random, 0, 4000))
    await (round % 2 === 0 ? stop(owner, between(random, ...STOPPED_MS)) : cut(line))
    await done
    t.same(await work.findings(), [], `round ${round}`)
    t.comment(`round ${round}: ${Math.round(performance.now() - began)} ms`)
  }
})

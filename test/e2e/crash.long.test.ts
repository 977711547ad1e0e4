import t from 'tap'
import { chance } from '../faults/chance.ts'
import { eventually, sleep } from './client.ts'
import { makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'
import { checkLoad, startLoad } from './load.ts'

const ROUNDS = 3
const seed = Number(process.env.PARLEY_TEST_SEED ?? Date.now() % 1_000_000)

t.test('kill -9 of the node at any moment loses, doubles and reorders nothing', async (t) => {
  t.comment(`PARLEY_TEST_SEED=${seed}`)
  const random = chance(seed)
  const world = await startKillable(t, {
    // On a busy machine the status callbacks of all rounds take seconds to arrive again.
    waits: { confirm_ms: 15_000, send_ms: 2000 },
    simulator: { latency_ms: 5 },
    env: () => ({ PARLEY_WEBHOOK_SCHEDULE: '0,0.2,0.2,0.2,0.2' }),
  })
  const tenant = await makeTenant(world)
  const keyed = () => tenant.send('+15550180000', {}, { headers: { 'idempotency-key': 'before every crash' } })
  const first = await keyed()
  const load = await startLoad(tenant)
  const moments: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const moment = Math.floor(50 + random() * 900)
    moments.push(moment)
    await sleep(moment)
    await world.process().end('SIGKILL')
    await world.start()
  }
  t.comment(`killed after ${moments.join(', ')} ms`)
  await load.stop()
  const again = await eventually('it answers', () => keyed().catch(() => undefined))
  t.same([again.text, again.headers['idempotent-replayed']], [first.text, 'true'], 'a key outlives every crash')
  load.sends.push({ id: first.body.id, to: '+15550180000', body: 'Hello' })
  await checkLoad(t, world, tenant, load, world.config.database_url!)
  t.equal(await world.process().end('SIGTERM'), 0, world.process().said())
})

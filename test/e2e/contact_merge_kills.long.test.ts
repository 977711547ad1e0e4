/**
 * Random histories of merges, undos and messages, while the node is killed and ended again and again. PARLEY_TEST_SEED repeats
 * the histories whose seed was reported.
 */
import fc from 'fast-check'
import t from 'tap'
import { plainQuery } from '../support/mod.ts'
import { sleep } from './client.ts'
import { makeTenant, type Tenant } from './fixture.ts'
import { startKillable } from './killable.ts'
import { play, type Step, step } from './merge_histories.ts'

const HISTORIES = 6
const MAX_KILLS = 6
const seed = Number(process.env.PARLEY_TEST_SEED ?? Date.now() % 1_000_000)

t.test('contacts have the messages of all that they are, whenever the node is killed', async (t) => {
  const world = await startKillable(t)
  const steps = fc.array(step, { minLength: 6, maxLength: 10 })
  const samples: Step[][] = fc.sample(steps, { numRuns: HISTORIES, seed })
  const tenants: Tenant[] = []
  for (const _ of samples) tenants.push(await makeTenant(world))
  let is_over = false
  const played = Promise.allSettled(samples.map((sample, n) => play(world, tenants[n]!, sample))).finally(() => {
    is_over = true
  })
  let kills = 0
  for (; kills < MAX_KILLS && !is_over; kills++) {
    await sleep(300 + 200 * (kills % 4))
    await world.process().end(kills % 3 === 2 ? 'SIGTERM' : 'SIGKILL')
    await world.start()
  }
  t.comment(`PARLEY_TEST_SEED=${seed}, ${kills} kills`)
  for (const one of await played)
    t.equal(one.status === 'rejected' ? String(one.reason.stack) : 'fulfilled', 'fulfilled')
  t.same(await plainQuery(world.config.database_url!, 'select * from dead_letter'), [])
})

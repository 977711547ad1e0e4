/**
 * Nodes are killed and ended while people change their numbers. PARLEY_TEST_SEED repeats the histories whose seed was
 * reported.
 */
import fc from 'fast-check'
import t from 'tap'
import { plainQuery } from '../support/mod.ts'
import { eventually, sleep } from './client.ts'
import { makeTenant, type Tenant } from './fixture.ts'
import { startKillable } from './killable.ts'
import { callsOf, check, type Step, step } from './number_histories.ts'
import { callAsProvider } from './provider_call.ts'

const HISTORIES = 12
const KILLS = ['SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGKILL'] as const
const seed = Number(process.env.PARLEY_TEST_SEED ?? Date.now() % 1_000_000)

t.test('no contact has messages of two people, whenever the node is killed', async (t) => {
  t.comment(`PARLEY_TEST_SEED=${seed}`)
  const world = await startKillable(t)
  const steps = fc.array(step, { minLength: 10, maxLength: 16 })
  const samples: Step[][] = fc.sample(steps, { numRuns: HISTORIES, seed })
  const histories: ({ tenant: Tenant } & ReturnType<typeof callsOf>)[] = []
  for (const [n, sample] of samples.entries()) {
    histories.push({ tenant: await makeTenant(world), ...callsOf(sample, n + 1) })
  }
  /** The provider repeats a call until it is taken. */
  const play = async ({ tenant, calls }: (typeof histories)[number], name: number) => {
    for (const [n, call] of calls.entries()) {
      const message = { id: `wamid.changed.${name}.${n}`, ...call }
      await eventually('the call is taken', async () => {
        const answer = await callAsProvider(world, tenant.number, { messages: [message] }).catch(() => undefined)
        return answer?.status === 200
      })
    }
  }
  let is_over = false
  const played = Promise.all(histories.map(play)).then(() => {
    is_over = true
  })
  for (const [n, signal] of KILLS.entries()) {
    await sleep(100 + 150 * n)
    if (is_over) break
    await world.process().end(signal)
    await world.start()
  }
  await played
  await eventually('nothing is left to do', async () => {
    const rows = await plainQuery(
      world.config.database_url!,
      `select name from timer where name like 'change_number/%' or name like 'join_contacts/%' or name like 'contact_merge/%'`,
    )
    return rows.length === 0
  })
  for (const { tenant, said } of histories) await check(tenant, said)
  t.same(await plainQuery(world.config.database_url!, 'select * from dead_letter'), [])
})

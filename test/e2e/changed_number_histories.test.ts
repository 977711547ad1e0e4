/**
 * Random histories of people whose numbers are given out again, told in any order. Each message is stored once. A contact has
 * messages of one person alone. PARLEY_TEST_SEED and PARLEY_TEST_PATH repeat the history whose seed and path were reported.
 */
import fc from 'fast-check'
import t from 'tap'
import { joinWorld, makeTenant, type Tenant } from './fixture.ts'
import { callsOf, check, type Step, step } from './number_histories.ts'
import { callAsProvider } from './provider_call.ts'

const world = await joinWorld(t)
const { PARLEY_TEST_ALL, PARLEY_TEST_SEED, PARLEY_TEST_PATH } = process.env
const seed = Number(PARLEY_TEST_SEED ?? Date.now() % 1_000_000)

let histories = 0

async function play(tenant: Tenant, steps: Step[]): Promise<void> {
  const { calls, said } = callsOf(steps, ++histories)
  for (const call of calls) {
    const { status } = await callAsProvider(world, tenant.number, { messages: [call] })
    if (status !== 200) throw new Error(`the webhook answered ${status}`)
  }
  await check(tenant, said)
}

t.test('no contact has messages of two people', async (t) => {
  const result = await fc.check(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), async (steps) =>
      play(await makeTenant(world), steps),
    ),
    {
      seed,
      numRuns: PARLEY_TEST_ALL ? 200 : 12,
      interruptAfterTimeLimit: PARLEY_TEST_ALL ? 300_000 : 40_000,
      ...(PARLEY_TEST_PATH && { path: PARLEY_TEST_PATH }),
    },
  )
  t.comment(`PARLEY_TEST_SEED=${seed}, ${result.numRuns} runs`)
  if (result.failed && result.counterexample) t.fail(`${fc.defaultReportMessage(result)}\n${result.errorInstance}`)
  else t.ok(result.numRuns > 0)
})

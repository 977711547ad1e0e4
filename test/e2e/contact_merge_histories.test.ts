/**
 * Random histories of merges, undos and messages. At every moment a contact has exactly the messages of all ids that are one
 * person then; and after all undos each has its own alone, as if nothing had been merged. PARLEY_TEST_SEED and
 * PARLEY_TEST_PATH repeat the history whose seed and path were reported.
 */
import fc from 'fast-check'
import t from 'tap'
import { joinWorld, makeTenant } from './fixture.ts'
import { play, step } from './merge_histories.ts'

const world = await joinWorld(t)
const { PARLEY_TEST_ALL, PARLEY_TEST_SEED, PARLEY_TEST_PATH } = process.env
const seed = Number(PARLEY_TEST_SEED ?? Date.now() % 1_000_000)

t.test('contacts have the messages of all that they are, and their own after the undos', async (t) => {
  const result = await fc.check(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) =>
      play(world, await makeTenant(world), steps),
    ),
    {
      seed,
      numRuns: PARLEY_TEST_ALL ? 60 : 6,
      interruptAfterTimeLimit: PARLEY_TEST_ALL ? 300_000 : 60_000,
      ...(PARLEY_TEST_PATH && { path: PARLEY_TEST_PATH }),
    },
  )
  t.comment(`PARLEY_TEST_SEED=${seed}, ${result.numRuns} runs`)
  if (result.failed && result.counterexample) t.fail(`${fc.defaultReportMessage(result)}\n${result.errorInstance}`)
  else t.ok(result.numRuns > 0)
})

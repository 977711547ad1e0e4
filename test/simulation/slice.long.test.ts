/** A short piece of `npm run test:simulation`: some histories hold, and the same seed gives the same history. */
import t from 'tap'
import { runHistory } from './history.ts'
import { checkMutants } from './mutants.ts'

const HISTORIES = process.env.PARLEY_TEST_ALL ? 100 : 30
/** The seed is fixed; the long run searches other histories. */
const seed = Number(process.env.PARLEY_TEST_SEED ?? 1)

t.test('the same seed gives the same history', async (t) => {
  const [once, again, other] = [await runHistory(7), await runHistory(7), await runHistory(8)]
  t.equal(once.hash, again.hash)
  t.same(once, again)
  t.not(once.hash, other.hash)
})

t.test('nothing is lost, doubled, reordered, stale or stuck', async (t) => {
  t.comment(`PARLEY_TEST_SEED=${seed}`)
  let operations = 0
  const early = { given: 0, fused: 0, retracted: 0 }
  for (let at = seed; at < seed + HISTORIES; at++) {
    const { findings, faults, ...figures } = await runHistory(at)
    operations += figures.operations
    for (const name of ['given', 'fused', 'retracted'] as const) early[name] += figures.early[name]
    t.same(findings, [], `npm run test:simulation -- --seed ${at} --trace (${faults.join(', ')})`)
  }
  t.ok(operations > 10 * HISTORIES, 'there was work')
  t.ok(
    early.given > early.fused && early.fused > HISTORIES,
    `messages were fused, and others came to have rows: ${JSON.stringify(early)}`,
  )
  t.ok(early.retracted > 0, 'turns were undone with those that they depended on')
})

t.test('a timer that is due at the very end of a history may still ring', async (t) => {
  const { findings } = await runHistory(817203096)
  t.same(findings, [])
})

t.test('every mutant can be made', async () => checkMutants())

/** A short piece of `npm run test:faults`: a real cluster is broken a few times, and its history holds. */
import t from 'tap'
import { tempDir } from '../support/mod.ts'
import { planRounds } from './plan.ts'
import { runRounds } from './run.ts'

const seed = Number(process.env.PARLEY_TEST_SEED ?? Date.now() % 1_000_000)
const CELLS = ['node:SIGKILL:deliver', 'postgres:SIGKILL:send', 'zombie:inbound', 'wipe:move', 'zombie:ingest']

/** Rounds of a run, among `CELLS`: each run draws others. `npm run test:faults` runs them all. */
const ROUNDS = process.env.PARLEY_TEST_ALL ? CELLS.length : 2

// Takes twenty seconds on an idle machine. Processes start slowly on a busy one.

t.test('the same seed gives the same rounds, every cell once before any comes again', async (t) => {
  t.same(planRounds(7, 10), planRounds(7, 30).slice(0, 10))
  t.notSame(planRounds(7, 10), planRounds(8, 10))
  const twice = planRounds(7, 2 * CELLS.length, CELLS).map(({ fault, workload }) => `${fault}:${workload}`)
  t.same(twice.slice(0, CELLS.length).sort(), CELLS.toSorted())
  t.same(twice.slice(CELLS.length).sort(), CELLS.toSorted())
})

t.test('nothing is lost, doubled, reordered or stuck', async (t) => {
  t.comment(`PARLEY_TEST_SEED=${seed}`)
  const log = (line: string) => t.comment(line)
  const outcomes = await runRounds({ rounds: planRounds(seed, ROUNDS, CELLS), directory: tempDir(t), log })
  for (const { fault, workload, findings, counts } of outcomes) {
    t.same(findings, [], `${fault} × ${workload}`)
    t.ok(counts.sends + counts.inbound + counts.changes > 0, 'there was work')
  }
})

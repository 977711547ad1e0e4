/**
 * `npm run test:faults [-- --rounds n --seed n --only words]`: breaks a real cluster at random moments, and exits with 1
 * when a promise of docs/reliability.md was not kept, with 2 on wrong usage. The same seed gives the same faults.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import t from 'tap'
import { cells, cellsNamed, planRounds } from './plan.ts'
import { tableOf } from './report.ts'
import { runRounds } from './run.ts'

// The tools of the tests come with tap, which would end this after 30 s.
t.setTimeout(0)
const log = (line: string) => void process.stdout.write(`${line}\n`)

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
  },
})
const [count, seed] = [Number(values.rounds), Number(values.seed)]
const among = values.only === undefined ? cells : values.only.split(',').flatMap(cellsNamed)
if (!(count > 0) || !Number.isInteger(seed) || among.length === 0) {
  process.stderr.write(`usage: npm run test:faults [-- --rounds n --seed n --only a,b]\nonly: ${cells.join(' ')}\n`)
  process.exit(2)
}
const directory = mkdtempSync(join(tmpdir(), 'parley-faults-'))
log(`seed ${seed}, ${count} rounds, evidence in ${directory}`)
const outcomes = await runRounds({ rounds: planRounds(seed, count, among), directory, log })
const broken = outcomes.filter(({ findings }) => findings.length > 0)
log(`\n${tableOf(outcomes)}\n\nseed ${seed}: ${outcomes.length} rounds, ${broken.length} broke a promise`)
process.exit(broken.length > 0 ? 1 : 0)

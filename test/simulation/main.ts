/**
 * `npm run test:simulation [-- --histories n --seed n --only words --jobs n]`: runs the engine of several nodes in
 * virtual time under faults drawn from a seed. Exits with 1 when a history broke a promise, and with 2 on wrong usage.
 * Without `--seed` the histories differ each time, and the run prints its seed.
 *
 * `-- --seed n --trace` prints one history line by line. `-- --mutants` takes the engine's protections out, one at a
 * time, and prints the number of histories until each was noticed.
 */
import { endWith, readOptions } from '../support/options.ts'
import { faults } from './faults.ts'
import type { Verdict } from './history.ts'
import { checkMutants, mutants } from './mutants.ts'
import { runWorker } from './workers.ts'

const MUTANT_HISTORIES = 10_000
const PROGRESS_MS = 10_000
const MAX_TOLD = 20

/** The distance between the first seeds of two runs. Each run counts on from its first seed. */
const SEEDS_APART = 1000

const usage = `usage: npm run test:simulation [-- --histories n --seed n --only a,b --jobs n | --seed n --trace | --mutants]
only: ${Object.keys(faults).join(' ')}`
const values = readOptions(
  {
    histories: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    mutants: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
  },
  usage,
)
const only = values.only?.split(',')
// A fixed seed finds each mutant after the same number of histories as the last time.
const seed = Number(values.seed ?? (values.mutants ? 1 : (Date.now() % 1_000_000) * SEEDS_APART))
const jobs = Number(values.jobs)
const histories = Number(values.histories ?? (values.mutants ? MUTANT_HISTORIES : 100_000))
const are_known = only === undefined || values.mutants || only.every((name) => name in faults)
if (!Number.isInteger(seed) || !(jobs >= 1) || !(histories >= 1) || !are_known) endWith(usage)

const print = (line: string) => void process.stdout.write(`${line}\n`)
const seconds = () => performance.now() / 1000

if (values.trace) await trace()
else if (values.mutants) await hunt()
else await search()

async function trace(): Promise<void> {
  // Wrong usage is refused before this module, which takes long to load.
  const { runHistory } = await import('./history.ts')
  const { lines, findings, faults, hash } = await runHistory(seed, { only, is_traced: true })
  for (const line of lines) print(line)
  print(`seed ${seed}, hash ${hash}, faults: ${faults.join(', ')}`)
  for (const finding of findings) print(`FOUND ${finding}`)
  process.exitCode = findings.length > 0 ? 1 : 0
}

async function search(): Promise<void> {
  let [done, events, told_at] = [0, 0, seconds()]
  const found: Verdict[] = []
  print(`seed ${seed}, ${histories} histories`)
  const rate = () => `${Math.round(done / seconds())} histories/s, ${Math.round(events / seconds() / 1000)} k events/s`
  const heard = {
    progress(more: number, more_events: number) {
      done += more
      events += more_events
      if (seconds() - told_at < PROGRESS_MS / 1000) return
      told_at = seconds()
      print(`${done} of ${histories} histories, ${found.length} broke a promise, ${rate()}`)
    },
    found(verdict: Verdict) {
      found.push(verdict)
      if (found.length <= MAX_TOLD) tell(verdict)
    },
  }
  const task = (job: number) => ({ seed: seed + job, step: jobs, end: seed + histories, only, until_found: false })
  await Promise.all(Array.from({ length: jobs }, (_, job) => runWorker(task(job), heard)))
  print(`seed ${seed}: ${done} histories in ${Math.round(seconds())} s (${rate()}), ${found.length} broke a promise`)
  process.exitCode = found.length > 0 ? 1 : 0
}

function tell({ seed, faults, findings }: Verdict): void {
  print(`seed ${seed}: ${faults.join(', ')}`)
  for (const finding of findings) print(`        ${finding}`)
  const among = values.only ? ` --only ${values.only}` : ''
  print(`        again: npm run test:simulation -- --seed ${seed}${among} --trace`)
}

async function hunt(): Promise<void> {
  checkMutants()
  const wanted = only ? mutants.filter(({ name }) => only.some((word) => name.includes(word))) : mutants
  const waiting = [...wanted]
  const lines = new Map<string, string>()
  let missed = 0
  const lane = async () => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const { name } = mutant
      let verdict: Verdict | undefined
      const task = { seed, step: 1, end: seed + histories, only: mutant.among, until_found: true }
      await runWorker(task, { found: (found) => (verdict = found) }, name)
      if (!verdict) missed++
      const count = verdict ? verdict.seed - seed + 1 : undefined
      lines.set(name, `| ${name} | ${count ?? `not within ${histories}`} | ${verdict?.findings[0] ?? ''} |`)
      print(lines.get(name)!)
    }
  }
  await Promise.all(Array.from({ length: jobs }, lane))
  print('\n| protection removed | found in history | as |\n|---|---|---|')
  for (const { name } of wanted) print(lines.get(name)!)
  print(`\n${wanted.length} mutants, ${missed} not found, ${Math.round(seconds())} s`)
  process.exitCode = missed > 0 ? 1 : 0
}

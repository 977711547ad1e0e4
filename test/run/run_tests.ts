/**
 * `npm test` and `npm run test:long` (`--long`): the checks, then test files against one PostgreSQL, one nats-server and
 * a few nodes of this run. A file that fails runs once more, alone, at the end.
 * The run ends with the line `N passed, N failed` and leaves no process; a process that outlives the tests is a failure.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/root.ts'
import { readCommandLine } from './command_line.ts'
import { longFiles, printSlowest, printUnsteady, recordOutcomes } from './results.ts'
import { makeRunDirectory, removeRunDirectory } from './run_directory.ts'
import { runFiles } from './run_files.ts'
import { startSharing } from './sharing.ts'
import { prepareStartUp } from './start_up.ts'
import { endStragglers } from './stragglers.ts'
import { chooseFiles } from './test_files.ts'

/** A run of so few files starts few processes. */
const FEW = 20
/** Kept between runs: what is the same in all of them. */
const CACHE = join(root, 'node_modules/.cache/tests')

// The helpers of tests bring tap along, which would end a process after half a minute, also one that prepares a run.
Object.assign(process.env, { TAP: '1', TAP_TIMEOUT: '0' })

const command_line = readCommandLine(process.argv.slice(2))
const { part, named, changed_since } = command_line
const is_whole = named.length === 0 && changed_since === undefined
const { files, elsewhere } = chooseFiles(root, command_line)
const is_long_run = files.length > FEW
const work = makeRunDirectory()
/** Directory of the answers that tests got of the described APIs. Set it to gather over several runs. */
const answers = process.env.PARLEY_TEST_ANSWERS ?? join(work, 'answers')
mkdirSync(answers, { recursive: true })
const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort())

// Beside the tests: the compiler uses one core, and tests wait for a part of their time.
const checking = named.length > 0 || part === 'long' ? [] : runChecks()
const prepared = await prepareStartUp(CACHE, is_long_run)
const env = { ...withoutSettings(process.env), PARLEY_TEST_ANSWERS: answers, TMPDIR: work, ...prepared }
const sharing = startSharing(env, join(work, 'servers'), CACHE)
if (!is_long_run) sharing.begin(files)
const record = process.env.PARLEY_TEST_RECORD ?? join(CACHE, `${part}.jsonl`)
const outcomes = await runFiles(files, env, sharing, interruption.signal, longFiles(record))
const checks = await checking
const busy_nodes = is_long_run ? await sharing.busy() : []
const lost_nodes = await sharing.stop()
const stragglers = endStragglers(work)
const unseen = is_whole ? await unseenAnswers(prepared.PARLEY_TEST_DESCRIBED!) : []
removeRunDirectory(work)
recordOutcomes(record, outcomes)

if (named.length === 0) printSlowest(outcomes)
for (const line of unseen) process.stdout.write(`described and never seen: ${line}\n`)
if (elsewhere > 0) {
  const other = part === 'fast' ? 'npm run test:long' : 'npm test'
  process.stdout.write(`\n${elsewhere} files of the other part are affected too: ${other} -- --changed\n`)
}
printUnsteady(outcomes)
for (const line of busy_nodes) process.stdout.write(`\n${line}\n`)

const sum = (counts: number[]) => counts.reduce((all, one) => all + one, 0)
const counted = outcomes.map(({ again, ...first }) => again ?? first)
const passed = sum(counted.map((one) => one.passed)) + checks.filter((check) => check.passed).length
const failed =
  sum(counted.map((one) => one.failed)) +
  checks.filter((check) => !check.passed).length +
  stragglers +
  lost_nodes +
  unseen.length +
  (interruption.signal.aborted ? 1 : 0)
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
process.exit(failed > 0 || (passed === 0 && changed_since === undefined) ? 1 : 0)

/** Runs the checks and prints them as soon as all are done. A run of named files does not load them. */
async function runChecks() {
  const { runChecks: run, printChecks } = await import('../checks/checks.ts')
  const checks = await run()
  printChecks(checks)
  return checks
}

/**
 * Returns the answers that are described and that neither part of the tests saw. The fast part keeps what it saw for the
 * long one, which tells the sum.
 */
async function unseenAnswers(descriptions: string): Promise<string[]> {
  const { keepAnswers, keptAnswers, seenAnswers, unseenAnswers: unseen } = await import('./described_answers.ts')
  const path = join(CACHE, 'answers_of_fast.json')
  const seen = seenAnswers(answers)
  if (part === 'fast') {
    keepAnswers(path, seen, descriptions)
    return []
  }
  const before = keptAnswers(path, descriptions)
  if (before === undefined)
    process.stdout.write('\nThe answers that no test saw are not listed: run `npm test` first, it sees most of them.\n')
  return before === undefined ? [] : unseen([...before, ...seen], descriptions)
}

/** Tests say what they set: the settings of whoever runs them stay outside. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours = (name: string) =>
    name === 'DATABASE_URL' || name === 'NATS_URL' || /^PARLEY_(?!NATS_SERVER$|TEST_)/.test(name)
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours(name)))
}

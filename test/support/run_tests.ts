/**
 * `npm test [-- files]`: the checks, then all test files against one PostgreSQL and one nats-server of this run. With
 * `-- --changed [commit]` those that a change since the commit (default HEAD) can reach.
 * Ends with the line `N passed, N failed` and leaves no process; a process that outlives the tests is a failure.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { printChecks, root, runChecks } from './checks.ts'
import { unseenAnswers } from './described_answers.ts'
import { changedFiles, listedFiles, reachedTests } from './reach.ts'
import { makeRunDirectory } from './run_directory.ts'
import { prepareStartUp } from './start_up.ts'
import { type FileResult, TestProcess } from './test_process.ts'
import { startTestServers } from './test_servers.ts'

const SLOWEST = 12
/** A run of so few files starts few processes. */
const FEW = 20
/**
 * Test files at once. Most of them wait for a part of their time: for a process, a deadline, a server that is away. Those
 * that do not set a number of their own.
 */
const LANES = Number(process.env.PARLEY_TEST_LANES) || 3 * availableParallelism()
/** Tests that start nodes, servers or other processes may take a minute, and begin in this part of the run. */
const MAYBE_LONG = /^test\/(?:e2e|docs|cli|faults|simulation|process|actors\/knowledge)\//
const LONG_PART = 0.7

const is_changed = process.argv[2] === '--changed'
const wanted = is_changed ? [] : process.argv.slice(2)
const work = makeRunDirectory()
/** Directory of the answers that tests got of the described APIs. Set it to gather over several runs. */
const answers = process.env.PARLEY_TEST_ANSWERS ?? join(work, 'answers')
mkdirSync(answers, { recursive: true })
const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort())

const [checks, servers] = await Promise.all([
  wanted.length > 0 ? [] : runChecks(),
  startTestServers(join(work, 'servers')),
])
printChecks(checks)
const files = testFiles()
const results = await runFiles(files, {
  ...withoutSettings(process.env),
  PARLEY_TEST_DATABASE_URL: servers.database_url,
  PARLEY_TEST_NATS_URL: servers.nats_url,
  PARLEY_TEST_ANSWERS: answers,
  TMPDIR: work,
  ...(await prepareStartUp(join(work, 'modules'), files.length > FEW)),
})
await servers.stop()
const stragglers = endStragglers()
const unseen = wanted.length > 0 || is_changed ? [] : unseenAnswers(answers)
rmSync(work, { recursive: true, force: true })
if (wanted.length === 0) printSlowest(results)
for (const line of unseen) process.stdout.write(`described and never seen: ${line}\n`)

const sum = (counts: number[]) => counts.reduce((all, one) => all + one, 0)
const interrupted = interruption.signal.aborted ? 1 : 0
const passed = sum(results.map((one) => one.passed)) + checks.filter((check) => check.passed).length
const failed =
  sum(results.map((one) => one.failed)) +
  checks.filter((check) => !check.passed).length +
  stragglers +
  unseen.length +
  interrupted
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)

/** The files that were named, each a file or a directory; or those that a change reaches; else all. */
function testFiles(): string[] {
  if (is_changed) return reachedTests(root, listedFiles(root), changedFiles(root, process.argv[3] ?? 'HEAD'))
  const within = (path: string) =>
    statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory()
      ? readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))
      : [path]
  const found = (path: string) => within(path).filter((file) => file === path || file.endsWith('.test.ts'))
  return (wanted.length > 0 ? wanted : ['test']).flatMap((path) => found(path).sort())
}

async function runFiles(files: string[], env: NodeJS.ProcessEnv): Promise<FileResult[]> {
  const { signal } = interruption
  const waiting = mixed(files)
  const done: FileResult[] = []
  async function lane() {
    let shared: TestProcess | null = null
    for (let file = waiting.shift(); file && !signal.aborted; file = waiting.shift()) {
      shared ??= new TestProcess(env, signal)
      const result = await shared.run(file)
      done.push(result)
      printResult(result)
      if (!shared.is_usable) {
        await shared.end()
        shared = null
      }
    }
    await shared?.end()
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return done
}

/**
 * Files of one directory wait for alike things, so they run apart: some wait while others work. Files that take long do
 * not come last, because cores would be idle at the end of the run.
 */
function mixed(files: string[]): string[] {
  const place = (file: string) =>
    createHash('sha1').update(file).digest().readUInt32BE() * (MAYBE_LONG.test(file) ? LONG_PART : 1)
  const places = new Map(files.map((file) => [file, place(file)]))
  return files.toSorted((a, b) => places.get(a)! - places.get(b)!)
}

function printResult({ file, passed, failed, seconds, cpu_seconds, report }: FileResult): void {
  const verdict = failed === 0 ? `✔ ${file}: ${passed} passed` : `✘ ${file}: ${passed} passed, ${failed} failed`
  process.stdout.write(
    `${verdict} (${seconds.toFixed(1)} s, ${cpu_seconds.toFixed(1)} s of CPU)\n${report.replaceAll(/^(?=.)/gm, '    ')}`,
  )
  if (failed === 0) return
  const [seed] = /PARLEY_TEST_SEED=\d+/.exec(report) ?? []
  process.stdout.write(`    Run it alone: ${seed ? `${seed} ` : ''}npm test -- ${file}\n`)
}

/** Lists the files that took longest beside the others, and those that used most CPU. */
function printSlowest(results: FileResult[]): void {
  for (const [title, cost] of [
    ['slowest files', 'seconds'],
    ['most CPU', 'cpu_seconds'],
  ] as const) {
    const first = results.toSorted((a, b) => b[cost] - a[cost]).slice(0, SLOWEST)
    const list = first.map((one) => `  ${one[cost].toFixed(0).padStart(3)} s  ${one.file}`)
    process.stdout.write(`\n${title}:\n${list.join('\n')}\n`)
  }
}

/** Tests say what they set: the settings of whoever runs them stay outside. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours = (name: string) =>
    name === 'DATABASE_URL' || name === 'NATS_URL' || /^PARLEY_(?!NATS_SERVER$|TEST_)/.test(name)
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours(name)))
}

/** Ends and names every process that still carries this run's directory in its command or environment. */
function endStragglers(): number {
  if (process.platform !== 'linux') return 0
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const found = pids.filter((pid) => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`].some(mentionsWork))
  for (const pid of found) {
    process.stdout.write(`left running: ${pid} ${textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}\n`)
    process.kill(Number(pid), 'SIGKILL')
  }
  return found.length
}

function mentionsWork(path: string): boolean {
  return textOf(path).includes(work)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/**
 * `npm run test:steady`: runs one part of the tests again and again beside busy processes, and adds up which files were
 * unsteady or failed. Ends with the line `N passed, N failed`, which counts rounds.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { endWith, readOptions } from '../support/options.ts'
import { root } from '../support/root.ts'
import type { Recorded } from './results.ts'

const USAGE = `Usage: npm run test:steady -- [--rounds 20] [--long] [--busy N] [--out DIR]

  --rounds N   runs of the tests (default 20)
  --long       run the long part, not the fast one
  --busy N     busy processes beside the tests (default: one for each core)
  --out DIR    directory of the logs and records (default .steady); rounds that lie there already count too`

const options = readOptions(
  {
    rounds: { type: 'string', default: '20' },
    long: { type: 'boolean', default: false },
    busy: { type: 'string', default: String(availableParallelism()) },
    out: { type: 'string', default: join(root, '.steady') },
  },
  USAGE,
)
const rounds = wholeNumber('rounds', options.rounds, 1)
const busy = wholeNumber('busy', options.busy, 0)
const part = options.long ? 'long' : 'fast'
const out = options.out
mkdirSync(out, { recursive: true })

/** Keeps one core busy. The process ends with its parent. */
const BUSY = `process.on('disconnect', () => process.exit()); (function work() {
  const end = Date.now() + 50; while (Date.now() < end); setImmediate(work) })()`

type Round = { seconds: number; passed: boolean; files: Recorded[] }

let running: ChildProcess | undefined
let is_interrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    is_interrupted = true
    running?.kill('SIGTERM')
  })

const load = Array.from({ length: busy }, () =>
  spawn(process.execPath, ['-e', BUSY], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }),
)
const done = earlierRounds()
while (done.length < rounds && !is_interrupted) {
  const round = await runRound(done.length + 1)
  if (is_interrupted) break
  done.push(round)
  const unsteady = round.files.filter(({ verdict }) => verdict === 'unsteady').length
  const verdict = round.passed ? 'passed' : 'FAILED'
  process.stdout.write(
    `round ${done.length} of ${rounds}: ${verdict} in ${round.seconds.toFixed(0)} s, ${unsteady} unsteady\n`,
  )
}
for (const child of load) child.disconnect()
printTable(done)
const failed = done.filter(({ passed }) => !passed).length
process.stdout.write(`\n${done.length - failed} passed, ${failed} failed\n`)
process.exit(failed > 0 || done.length < rounds ? 1 : 0)

function names(number: number) {
  const base = join(out, `${part}_${String(number).padStart(2, '0')}`)
  return { log: `${base}.log`, files: `${base}.jsonl`, summary: `${base}.json` }
}

/** Returns the rounds that an interrupted run has left in the directory. */
function earlierRounds(): Round[] {
  const found: Round[] = []
  for (let number = 1; existsSync(names(number).summary); number++) found.push(readRound(number))
  return found
}

function readRound(number: number): Round {
  const { files, summary } = names(number)
  const lines = existsSync(files) ? readFileSync(files, 'utf8').split('\n').filter(Boolean) : []
  return { ...JSON.parse(readFileSync(summary, 'utf8')), files: lines.map((line) => JSON.parse(line)) }
}

async function runRound(number: number): Promise<Round> {
  const { log, files, summary } = names(number)
  const began = performance.now()
  const args = ['test/run/run_tests.ts', ...(options.long ? ['--long'] : [])]
  running = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, PARLEY_TEST_RECORD: files },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = createWriteStream(log)
  running.stdout!.pipe(output, { end: false })
  running.stderr!.pipe(output, { end: false })
  const [code] = await once(running, 'close')
  output.end()
  const seconds = (performance.now() - began) / 1000
  if (!is_interrupted) {
    writeFileSync(summary, JSON.stringify({ seconds, passed: code === 0 }))
    return readRound(number)
  }
  return { seconds, passed: false, files: [] }
}

/** Lists each file that was not always green, with what failed, then the slowest files. */
function printTable(all: readonly Round[]): void {
  type Row = { file: string; runs: number; unsteady: number; failed: number; longest: number; assertions: Set<string> }
  const rows = new Map<string, Row>()
  for (const { file, verdict, seconds, assertion, seed } of all.flatMap(({ files }) => files)) {
    const row = rows.get(file) ?? { file, runs: 0, unsteady: 0, failed: 0, longest: 0, assertions: new Set() }
    rows.set(file, row)
    row.runs++
    if (verdict === 'unsteady') row.unsteady++
    if (verdict === 'failed') row.failed++
    row.longest = Math.max(row.longest, seconds)
    if (assertion) row.assertions.add([assertion, seed].filter(Boolean).join(' '))
  }
  const sorted = [...rows.values()].sort(
    (a, b) => b.failed - a.failed || b.unsteady - a.unsteady || b.longest - a.longest,
  )
  const bad = sorted.filter((row) => row.failed + row.unsteady > 0)
  const width = Math.max(...sorted.map(({ file }) => file.length), 4)
  const line = (file: string, ...cells: unknown[]) =>
    process.stdout.write(`${file.padEnd(width)} ${cells.map((cell) => String(cell).padStart(9)).join('')}\n`)
  process.stdout.write('\n')
  line('file', 'runs', 'unsteady', 'failed', 'longest')
  for (const row of [...bad, ...sorted.filter((one) => !bad.includes(one)).slice(0, 10)]) {
    line(row.file, row.runs, row.unsteady, row.failed, `${row.longest.toFixed(0)} s`)
    for (const assertion of row.assertions) process.stdout.write(`    ${assertion}\n`)
  }
  const times = all.map(({ seconds }) => seconds).sort((a, b) => a - b)
  if (times.length > 0)
    process.stdout.write(
      `\nrounds took ${times[0]!.toFixed(0)} to ${times.at(-1)!.toFixed(0)} s; ${sorted.length} files, ${bad.length} not always green\n`,
    )
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < least) endWith(`--${name} takes a whole number from ${least}.\n${USAGE}`)
  return value
}

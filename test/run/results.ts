/** The outcome of each test file: what the run prints of it, and what it records for `npm run test:steady`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FileResult } from './test_process.ts'

/** `unsteady`: it failed beside others, and passed when it ran once more, alone. */
export type Outcome = FileResult & {
  verdict: 'passed' | 'failed' | 'unsteady'
  /** The run alone, after a failure. */
  again?: FileResult
}

/** A line of the file of records. */
export type Recorded = {
  file: string
  verdict: Outcome['verdict']
  seconds: number
  seconds_alone?: number
  assertion?: string
  seed?: string
}

const SLOWEST = 12

export function printResult({ file, passed, failed, seconds, cpu_seconds, report }: FileResult): void {
  const verdict = failed === 0 ? `✔ ${file}: ${passed} passed` : `✘ ${file}: ${passed} passed, ${failed} failed`
  process.stdout.write(
    `${verdict} (${seconds.toFixed(1)} s, ${cpu_seconds.toFixed(1)} s of CPU)\n${report.replaceAll(/^(?=.)/gm, '    ')}`,
  )
  if (failed === 0) return
  const seed = seedOf(report)
  process.stdout.write(`    Run it alone: ${seed ? `${seed} ` : ''}npm test -- ${file}\n`)
}

/** Lists the files that took longest beside the others, and those that used most CPU. */
export function printSlowest(results: readonly FileResult[]): void {
  for (const [title, cost] of [
    ['slowest files', 'seconds'],
    ['most CPU', 'cpu_seconds'],
  ] as const) {
    const first = results.toSorted((a, b) => b[cost] - a[cost]).slice(0, SLOWEST)
    const list = first.map((one) => `  ${one[cost].toFixed(0).padStart(3)} s  ${one.file}`)
    process.stdout.write(`\n${title}:\n${list.join('\n')}\n`)
  }
}

/** Lists each unsteady file with the assertion that failed, the seed and both times. */
export function printUnsteady(outcomes: readonly Outcome[]): void {
  const unsteady = outcomes.filter(({ verdict }) => verdict === 'unsteady').map(recorded)
  if (unsteady.length > 0) process.stdout.write('\nunsteady (failed beside others, passed alone):\n')
  for (const { file, assertion, seed, seconds, seconds_alone } of unsteady) {
    const times = `${seconds.toFixed(1)} s beside others, ${seconds_alone!.toFixed(1)} s alone`
    process.stdout.write(`  ${file}: ${[assertion, seed, times].filter(Boolean).join('; ')}\n`)
  }
}

/** Writes one line of JSON for each file. */
export function recordOutcomes(path: string, outcomes: readonly Outcome[]): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, outcomes.map((outcome) => `${JSON.stringify(recorded(outcome))}\n`).join(''))
}

/** Seconds. */
const LONG = 15

/** The files that took long in the run before, if there was one. */
export function longFiles(path: string): Set<string> {
  if (!existsSync(path)) return new Set()
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  const recorded = lines.map((line) => JSON.parse(line) as Recorded)
  return new Set(recorded.filter(({ seconds }) => seconds > LONG).map(({ file }) => file))
}

/** Returns the setting that repeats the random choices of a failed file. */
export function seedOf(report: string): string | undefined {
  return /PARLEY_TEST_SEED=\d+/.exec(report)?.[0]
}

function recorded({ file, verdict, seconds, report, again }: Outcome): Recorded {
  if (verdict === 'passed') return { file, verdict, seconds }
  return { file, verdict, seconds, seconds_alone: again?.seconds, assertion: assertionOf(report), seed: seedOf(report) }
}

/** Returns the test and its assertion that failed first, or the first line of a report without one. */
function assertionOf(report: string): string | undefined {
  const lines = report.split('\n')
  // A report names the assertion before the tests around it.
  const [assertion, test] = lines.flatMap((line) => /^ *not ok \d+ - (.*?)(?: # time=.*)?$/.exec(line)?.[1] ?? [])
  if (assertion === undefined) return lines.find((line) => line.trim() !== '')?.trim()
  return test === undefined ? assertion : `${test}: ${assertion}`
}

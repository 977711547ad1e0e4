/** A run of a test set as people read it. */
import type { AssistantTestResult, AssistantTestRunSummary } from '../../client/mod.ts'
import { clip, fields, paint, printable, printLine, remark } from '../terminal/terminal.ts'
import { costLine, tokensLine } from './work_lines.ts'

/** Characters of what was found. */
const MAX_FOUND = 300

/** `results`: those that failed. */
export function printRun(run: AssistantTestRunSummary, results: readonly AssistantTestResult[]): void {
  for (const result of results) printFailed(result, run.runs)
  if (results.length > 0) printLine('')
  if (run.unknown_tools.length > 0) {
    remark(`The assistant has no tools of these names: ${run.unknown_tools.map(printable).join(', ')}.`)
  }
  printLine(
    fields([
      ['set', printable(run.name)],
      ['result', paint(run.has_passed ? 'green' : 'red', resultOf(run))],
      ['passed', `${run.passed} of ${run.total}${rateOf(run)}`],
      ['required', `${percent(run.least_pass_rate)} %`],
      tokensLine(run),
      costLine(run.cost),
      ['run', run._id],
    ]),
  )
}

export function resultOf({ state, reason, has_passed }: AssistantTestRunSummary): string {
  if (state === 'done') return has_passed ? 'passed' : 'not passed'
  return reason === null ? state : `${state}: ${reason}`
}

/** The share of passed tries, and where the true one may be. */
export function rateOf({ pass_rate, interval }: AssistantTestRunSummary): string {
  if (pass_rate === null || interval === null) return ''
  return ` (${percent(pass_rate)} %; 95 %: ${percent(interval.low)} to ${percent(interval.high)} %)`
}

function printFailed({ case_name, repetition, failures, missing_fixtures }: AssistantTestResult, runs: number): void {
  const which = runs > 1 ? ` (try ${repetition})` : ''
  printLine(`${paint('red', '✘')} ${printable(case_name)}${which}`)
  for (const { step, expected, found } of failures) {
    printLine(`  step ${step}: expected ${printable(expected)}`)
    printLine(`          found ${printable(clip(found, MAX_FOUND))}`)
  }
  if (missing_fixtures.length > 0) printLine(`  no fixture for ${missing_fixtures.map(printable).join(', ')}`)
}

/** At most one place. */
const percent = (share: number) => Math.round(share * 1000) / 10

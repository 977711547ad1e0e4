/** A run of a test set and its results, as the API shows them. */
import * as v from 'valibot'
import type { AssistantTestResult, TestRunRow } from '../../../storage/mod.ts'
import { type InMemory, named, recordId, timestamp, valuesOf } from '../../schema/mod.ts'
import { shownCases } from './test_set.ts'
import { costOfTurn, turnCost } from './turn.ts'

const testRunStates = ['queued', 'running', 'done', 'canceled', 'failed'] as const

/** Columns that the record shows as they are stored. */
const columns = v.object({
  _id: recordId,
  assistant_id: recordId,
  test_set_id: recordId,
  name: v.pipe(v.string(), v.description('The name of the set')),
  state: v.pipe(
    v.picklist(testRunStates),
    v.description('queued: other runs of the project are under way. failed: reason says why it could not go on'),
  ),
  reason: v.nullable(v.string()),
  runs: v.pipe(v.number(), v.description('How often each case is tried')),
  least_pass_rate: v.pipe(v.number(), v.description('The pass_rate of the set')),
  total: v.pipe(v.number(), v.description('Tries: cases times runs')),
  passed: v.number(),
  failed: v.number(),
  unknown_tools: v.pipe(
    v.array(v.string()),
    v.description('Tools that expectations name, and that the assistant did not have when the run was asked for'),
  ),
  held_versions: v.pipe(
    v.nullable(v.array(v.object({ block_id: recordId, version_id: recordId }))),
    v.description('Versions that it tries instead of the current ones; null when it was not asked to'),
  ),
  input_tokens: v.number(),
  output_tokens: v.number(),
  created_at: timestamp,
  started_at: v.nullable(timestamp),
  ended_at: v.nullable(timestamp),
})

const judged = v.object({
  has_passed: v.pipe(
    v.nullable(v.boolean()),
    v.description('If pass_rate reaches that of the set. Null until the run ends, false unless it is done'),
  ),
  pass_rate: v.pipe(v.nullable(v.number()), v.description('The share of tries so far that passed')),
  interval: v.pipe(
    v.nullable(v.object({ low: v.number(), high: v.number() })),
    v.description('Where the true share lies with a probability of 95 %, by the method of Wilson'),
  ),
  cost: turnCost,
})

/** A run in a list: without the cases. */
export const testRunSummary = named('AssistantTestRunSummary', v.object({ ...columns.entries, ...judged.entries }))

export const testRunRecord = named(
  'AssistantTestRun',
  v.object({
    ...testRunSummary.entries,
    cases: v.pipe(shownCases, v.description('Those of the set when the run was asked for')),
  }),
)

const failure = v.object({
  step: v.pipe(v.number(), v.description('From 1')),
  kind: v.picklist(['turn', 'outcome', 'tools', 'no_tools', 'includes', 'excludes', 'language']),
  expected: v.string(),
  found: v.string(),
})

const result_columns = v.object({
  case_name: v.string(),
  repetition: v.pipe(v.number(), v.description('From 1')),
  has_passed: v.boolean(),
  reason: v.pipe(v.nullable(v.string()), v.description('A word for why there was no turn')),
  failures: v.array(failure),
  missing_fixtures: v.pipe(v.array(v.string()), v.description('Tools that were called without a fixture')),
  steps: v.pipe(
    v.array(
      v.object({
        outcome: v.picklist(['answered', 'handed_over', 'failed']),
        reason: v.nullable(v.string()),
        answer: v.nullable(v.string()),
        tool_calls: v.array(
          v.object({ name: v.string(), arguments: v.string(), result: v.string(), error: v.nullable(v.string()) }),
        ),
      }),
    ),
    v.description('The turns after the steps of the case, with long texts cut'),
  ),
  input_tokens: v.number(),
  output_tokens: v.number(),
  started_at: timestamp,
  ended_at: timestamp,
})

export const testResultRecord = named('AssistantTestResult', v.object({ ...result_columns.entries, cost: turnCost }))

type TestRunSummaryRecord = InMemory<v.InferOutput<typeof testRunSummary>>
type TestRunRecord = InMemory<v.InferOutput<typeof testRunRecord>>
type TestResultRecord = InMemory<v.InferOutput<typeof testResultRecord>>

export function toTestRunSummary(row: TestRunRow): TestRunSummaryRecord {
  const { passed, failed, state, ended_at = null } = row
  const tried = passed + failed
  const pass_rate = tried === 0 ? null : passed / tried
  return {
    ...valuesOf(columns, row),
    has_passed: ended_at === null ? null : state === 'done' && reachesRate(row),
    pass_rate,
    interval: tried === 0 ? null : wilsonInterval(passed, tried),
    cost: costOfTurn(row),
  }
}

/** True when the share of tries that passed is the wanted one. */
export function reachesRate({
  passed,
  failed,
  least_pass_rate,
}: Pick<TestRunRow, 'passed' | 'failed' | 'least_pass_rate'>) {
  const tried = passed + failed
  return tried > 0 && passed / tried >= least_pass_rate
}

export function toTestRunRecord(row: TestRunRow & { cases: TestRunRecord['cases'] }): TestRunRecord {
  return { ...toTestRunSummary(row), cases: row.cases }
}

export function toTestResultRecord(row: AssistantTestResult): TestResultRecord {
  return { ...valuesOf(result_columns, row), cost: costOfTurn(row) }
}

/** The quantile of the normal distribution that leaves 2.5 % on each side. */
const Z = 1.959964

/** The interval of 95 % by Wilson, which stays within 0 and 1 for few tries, too. */
export function wilsonInterval(passed: number, tried: number): { low: number; high: number } {
  const share = passed / tried
  const scale = 1 + Z ** 2 / tried
  const centre = (share + Z ** 2 / (2 * tried)) / scale
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / tried + Z ** 2 / (4 * tried ** 2))
  return { low: rounded(Math.max(0, centre - half)), high: rounded(Math.min(1, centre + half)) }
}

const rounded = (share: number) => Math.round(share * 10_000) / 10_000

/** Test sets of assistants, their runs and results. */

import type { AssistantTestSet } from '../../../client/generated/types.ts'

export type {
  AssistantTestResult as TestResult,
  AssistantTestRun as TestRun,
  AssistantTestRunSummary as TestRunSummary,
  AssistantTestSet as TestSet,
  AssistantTestSetSummary as TestSetSummary,
} from '../../../client/generated/types.ts'

export type TestCase = AssistantTestSet['cases'][number]
export type Expectation = NonNullable<TestCase['steps'][number]['expect']>
export type Outcome = NonNullable<Expectation['outcome']>

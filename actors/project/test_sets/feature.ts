/** Expectations of assistants, and the beginning of runs that try them. The runs are those of `actors/test_runs`. */
import type { Feature } from '../turn/feature.ts'
import { appendTestCase } from './append_case.ts'
import { savedTestSets } from './save_test_set.ts'
import { testRunCommands } from './test_runs.ts'

export const testSets = {
  commands: { ...savedTestSets, ...testRunCommands },
  changes: { append_test_case: appendTestCase },
} satisfies Feature

import { inTransaction, type Migration } from './step.ts'

/** Runs of test sets try held versions, and release them when they pass. */
export const testedVersions: Migration = {
  name: '0101_tested_versions',
  steps: [inTransaction('alter table assistant_test_run add column held_versions json')],
}

import { inTransaction, type Migration } from './step.ts'

/** A version of a block may wait until somebody, or a run of a test set, releases it. */
export const heldVersions: Migration = {
  name: '0100_held_versions',
  steps: [
    inTransaction(
      `alter table block add column held_version_id text collate "C", add column held_test_set_id text collate "C",
        add column held_at timestamptz(3)`,
    ),
  ],
}

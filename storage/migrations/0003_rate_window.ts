import { inTransaction, type Migration } from './step.ts'

/** Rate windows outlive the node that counts them. */
export const rateWindow: Migration = {
  name: '0003_rate_window',
  steps: [
    inTransaction(
      `create table rate_window (
      project_id text collate "C" primary key,
      counts jsonb not null
    ) with (fillfactor = 50)`,
    ),
  ],
}

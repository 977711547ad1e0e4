import { buildIndex, inTransaction, type Migration } from './step.ts'

/**
 * A reply that fails is no answer. An entry of the inbox has the latest failure, and since when the person had waited for
 * the replies that count as answers so far. Entries of before know of no failure.
 */
export const failedReplies: Migration = {
  name: '0060_failed_replies',
  steps: [
    inTransaction(
      `alter table inbox_entry
        add column failed_at timestamptz(3),
        add column answered_since timestamptz(3),
        add column answer_count integer not null default 0`,
    ),
    buildIndex(
      'inbox_entry_failed',
      `inbox_entry (project_id, last_activity_at desc, ticket_id desc) where not is_closed and failed_at is not null`,
    ),
  ],
}

import { inTransaction, type Migration } from './step.ts'

/** An agent marks a ticket as unread; what the agent has seen all the same stays known for the person's receipts. */
export const readMarksTakenBack: Migration = {
  name: '0066_read_marks_taken_back',
  steps: [inTransaction('alter table ticket_read add column seen_count integer')],
}

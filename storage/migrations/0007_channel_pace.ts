import { inTransaction, type Migration } from './step.ts'

/** Columns with which a channel sends bulk messages behind others, and at its account's speed. */
export const channelPace: Migration = {
  name: '0007_channel_pace',
  steps: [
    inTransaction('alter table dispatch add column is_bulk boolean not null default false'),
    inTransaction(
      'alter table channel add column messages_per_second integer',
      `alter table channel add constraint channel_messages_per_second_check
        check (messages_per_second between 1 and 100000) not valid`,
    ),
    inTransaction('alter table channel validate constraint channel_messages_per_second_check'),
  ],
}

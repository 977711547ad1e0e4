import { inBatches, inTransaction, type Migration } from './step.ts'

/**
 * A message that the provider may have taken, where nothing will tell, ends as sent without a confirmation. A status callback
 * that is missing proves something only on a channel whose callbacks arrive: those of connected channels did so far.
 */
export const unconfirmedMessages: Migration = {
  name: '0055_unconfirmed_messages',
  steps: [
    inTransaction('alter table message add column confirmed boolean not null default true'),
    inTransaction('alter table channel add column callbacks_heard_at timestamptz(3)'),
    inBatches({
      table: 'channel',
      key: '_id',
      set: 'callbacks_heard_at = updated_at',
      where: `callbacks_heard_at is null and status = 'connected' and status_reason is null`,
    }),
  ],
}

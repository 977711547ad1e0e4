import { inTransaction, type Migration } from './step.ts'

/** The name of who sent a bulk send. It is null for those of earlier releases. */
export const broadcastSender: Migration = {
  name: '0089_broadcast_sender',
  steps: [inTransaction(`alter table broadcast add column sender_name text`)],
}

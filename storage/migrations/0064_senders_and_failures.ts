import { inTransaction, type Migration } from './step.ts'

/** A broadcast names the agent who sent it, and a subscription the reason why its last delivery failed. */
export const sendersAndFailures: Migration = {
  name: '0064_senders_and_failures',
  steps: [
    inTransaction('alter table broadcast add column user_id text collate "C"'),
    inTransaction('alter table subscription add column last_error text'),
  ],
}

import { inTransaction, type Migration } from './step.ts'

/** The reason why a message waits for its next attempt. */
export const dispatchError: Migration = {
  name: '0017_dispatch_error',
  steps: [inTransaction('alter table dispatch add column last_error json')],
}

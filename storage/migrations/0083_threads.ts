import { inTransaction, type Migration } from './step.ts'

/** A contact has the holders of its conversations, and a message may take one over. */
export const threads: Migration = {
  name: '0083_threads',
  steps: [
    inTransaction('alter table contact add column threads jsonb'),
    inTransaction('alter table message add column takes_thread boolean'),
  ],
}

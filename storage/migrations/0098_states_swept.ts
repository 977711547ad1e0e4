import { inTransaction, type Migration } from './step.ts'

/** Retention deletes the states of conversations, so dead rows are cleaned up before they are many. */
export const statesSwept: Migration = {
  name: '0098_states_swept',
  steps: [
    inTransaction(
      'alter table actor_state set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)',
    ),
  ],
}

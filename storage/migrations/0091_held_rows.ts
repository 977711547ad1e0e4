import { inTransaction, type Migration } from './step.ts'

/** A walk passes over rows that other sessions hold, and the next sweep begins again before the first of them. */
export const heldRows: Migration = {
  name: '0091_held_rows',
  steps: [inTransaction('alter table retention_walk add column held_from text collate "C"')],
}

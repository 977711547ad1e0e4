import { createMachine } from 'xstate'
import type { BulkActionStatus } from '../../storage/mod.ts'
import { tableOf } from './table.ts'

/**
 * - `all_done`    every ticket was changed, found as it should be, or refused
 * - `cancelled`   an agent stopped it, or its own agent lost the permission
 */
export type BulkActionEvent = 'all_done' | 'cancelled'

/** The life of a bulk action. It runs from the beginning; tickets that are done stay changed when it is cancelled. */
export const bulkActionMachine = createMachine({
  id: 'bulk_action',
  initial: 'running',
  states: {
    running: { on: { all_done: 'completed', cancelled: 'cancelled' } },
    completed: { type: 'final' },
    cancelled: { type: 'final' },
  },
})

const table = tableOf<BulkActionStatus, BulkActionEvent>(bulkActionMachine, ['all_done', 'cancelled'])

/** The status after an event; unchanged when the event does not apply. */
export function nextBulkActionStatus(status: BulkActionStatus, event: BulkActionEvent): BulkActionStatus {
  return table[status][event]
}

import { createMachine } from 'xstate'
import type { BroadcastStatus } from '../../storage/mod.ts'
import { tableOf } from './table.ts'

/**
 * - `begun`          the broadcast takes up its first recipients
 * - `all_answered`   nobody is pending any more, and somebody's message was sent
 * - `all_failed`     nobody is pending any more, and nobody's message was sent
 * - `cancelled`      a user wants no more of it sent
 */
export type BroadcastEvent = 'begun' | 'all_answered' | 'all_failed' | 'cancelled'

/**
 * The life of a bulk send. It ends when every message was answered by the provider; deliveries and reads that are told
 * later move its counts, not its status.
 */
export const broadcastMachine = createMachine({
  id: 'broadcast',
  initial: 'queued',
  states: {
    queued: { on: { begun: 'sending', cancelled: 'cancelled' } },
    sending: { on: { all_answered: 'completed', all_failed: 'failed', cancelled: 'cancelled' } },
    completed: { type: 'final' },
    failed: { type: 'final' },
    cancelled: { type: 'final' },
  },
})

const table = tableOf<BroadcastStatus, BroadcastEvent>(broadcastMachine, [
  'begun',
  'all_answered',
  'all_failed',
  'cancelled',
])

/** The status after an event; the same one when the event means nothing there. */
export function nextBroadcastStatus(status: BroadcastStatus, event: BroadcastEvent): BroadcastStatus {
  return table[status][event]
}

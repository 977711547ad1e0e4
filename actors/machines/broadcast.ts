import { createMachine } from 'xstate'
import type { BroadcastStatus } from '../../storage/mod.ts'
import { tableOf } from './table.ts'

/**
 * - `begun`          the broadcast takes up its first recipients
 * - `all_answered`   no recipient is pending any more, and at least one message was sent
 * - `all_failed`     no recipient is pending any more, and no message was sent
 * - `cancelled`      a user stopped it
 */
export type BroadcastEvent = 'begun' | 'all_answered' | 'all_failed' | 'cancelled'

/**
 * The life of a bulk send. It ends when the provider has answered for every message; later deliveries and reads change
 * its counts, not its status.
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

/** The status after an event; unchanged when the event does not apply. */
export function nextBroadcastStatus(status: BroadcastStatus, event: BroadcastEvent): BroadcastStatus {
  return table[status][event]
}

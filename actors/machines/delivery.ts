import { createMachine } from 'xstate'
import type { DeliveryStatus } from '../../storage/mod.ts'
import { tableOf } from './table.ts'

/** `waiting` is stored as the status `failed` with a `next_attempt_at`; `failed` has none. */
export type DeliveryState = 'pending' | 'waiting' | 'success' | 'failed' | 'dead'

/**
 * - `succeeded`             an attempt was answered with 2xx
 * - `refused`               an attempt was answered with a status that makes trying again useless
 * - `attempt_failed`        an attempt failed and the schedule has another
 * - `last_attempt_failed`   an attempt failed and the schedule has no other
 * - `due`                   the time of the next attempt has come
 * - `subscription_disabled` the subscription was disabled or deleted
 * - `event_expired`         the event was deleted, so there is nothing to send
 * - `redelivered`           a user wants it sent again
 */
export type DeliveryEvent =
  | 'succeeded'
  | 'refused'
  | 'attempt_failed'
  | 'last_attempt_failed'
  | 'due'
  | 'subscription_disabled'
  | 'event_expired'
  | 'redelivered'

/** The life of one event on its way to one subscription. */
export const deliveryMachine = createMachine({
  id: 'delivery',
  initial: 'pending',
  states: {
    pending: {
      on: {
        succeeded: 'success',
        refused: 'failed',
        attempt_failed: 'waiting',
        last_attempt_failed: 'dead',
        subscription_disabled: 'failed',
        event_expired: 'dead',
      },
    },
    waiting: {
      on: { due: 'pending', redelivered: 'pending', subscription_disabled: 'failed', event_expired: 'dead' },
    },
    success: { on: { redelivered: 'pending' } },
    failed: { on: { redelivered: 'pending' } },
    dead: { on: { redelivered: 'pending' } },
  },
})

const table = tableOf<DeliveryState, DeliveryEvent>(deliveryMachine, [
  'succeeded',
  'refused',
  'attempt_failed',
  'last_attempt_failed',
  'due',
  'subscription_disabled',
  'event_expired',
  'redelivered',
])

/** The state after an event; unchanged when the event does not apply. */
export function nextDeliveryState(state: DeliveryState, event: DeliveryEvent): DeliveryState {
  return table[state][event]
}

/** The state of a row. */
export function deliveryStateOf(row: { status: DeliveryStatus; next_attempt_at?: Date | null }): DeliveryState {
  return row.status === 'failed' && row.next_attempt_at ? 'waiting' : row.status
}

/** The status under which a state is stored and shown. */
export function deliveryStatusOf(state: DeliveryState): DeliveryStatus {
  return state === 'waiting' ? 'failed' : state
}

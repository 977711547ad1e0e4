import { createMachine } from 'xstate'
import type { AppointmentStatus } from '../../storage/mod.ts'
import { tableOf } from './table.ts'

/**
 * - `confirm`  the business or the person said that it takes place
 * - `cancel`   it does not take place; its time is free again
 * - `complete` it took place
 * - `no_show`  the person did not come
 */
export type AppointmentEvent = 'confirm' | 'cancel' | 'complete' | 'no_show'

/**
 * The life of an appointment. Pending and confirmed ones hold the time of their assignee. The other states are final. An
 * appointment that was never confirmed may still take place.
 */
export const appointmentMachine = createMachine({
  id: 'appointment',
  initial: 'pending',
  states: {
    pending: { on: { confirm: 'confirmed', cancel: 'cancelled', complete: 'completed', no_show: 'no_show' } },
    confirmed: { on: { cancel: 'cancelled', complete: 'completed', no_show: 'no_show' } },
    cancelled: { type: 'final' },
    completed: { type: 'final' },
    no_show: { type: 'final' },
  },
})

const table = tableOf<AppointmentStatus, AppointmentEvent>(appointmentMachine, [
  'confirm',
  'cancel',
  'complete',
  'no_show',
])

/** The status after an event; unchanged when the event does not apply. */
export function nextAppointmentStatus(status: AppointmentStatus, event: AppointmentEvent): AppointmentStatus {
  return table[status][event]
}

/**
 * Appointments of people with users of the company.
 *
 * 1. A user's pending and confirmed appointments never overlap. A constraint of the table enforces that for all projects
 *    of the company; the commands check it first, to name what is in the way.
 * 2. The numbers of a project's appointments have no gaps: this actor alone gives them, in the transaction that stores
 *    the appointment.
 * 3. A reminder is sent once for each beginning of an appointment (`reminder.ts`).
 */
import type { Feature } from '../turn/feature.ts'
import { createAppointment } from './create_appointment.ts'
import { remind } from './remind.ts'
import { transitionAppointment } from './transition_appointment.ts'
import { updateAppointment } from './update_appointment.ts'

export const scheduling = {
  commands: {
    create_appointment: createAppointment,
    update_appointment: updateAppointment,
    transition_appointment: transitionAppointment,
  },
  receivers: { appointment_reminder: remind },
} satisfies Feature

/**
 * Confirms, cancels or completes an appointment, or records that the person did not come. Confirming checks the slot
 * once more.
 */
import type { AppointmentEvent } from '../../machines/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import { auditedAppointment } from './audited.ts'
import { changeAppointment, statusAfter } from './change.ts'
import { appointmentReads, wantAppointment, wantSlot } from './reads.ts'
import { reminderAfter } from './reminder.ts'
import { recordOf } from './report.ts'

export type TransitionAppointment = { type: 'transition_appointment'; id: string; event: AppointmentEvent }

/** @throws {Refusal} NOT_FOUND, APPOINTMENT_NOT_PENDING, APPOINTMENT_NOT_OPEN, APPOINTMENT_SLOT_TAKEN */
export const transitionAppointment = {
  audit: auditedAppointment,
  reads(reads, { id }) {
    wantAppointment(reads, id)
    wantSlot(reads, { id })
  },
  run(turn, { id, event }) {
    const row = turn.records.of(appointmentReads).by_id.get(id)
    if (!row) throw refuse('NOT_FOUND')
    const status = statusAfter(row, event)
    const reminder = reminderAfter(row, { ...row, status }, undefined, turn.now)
    changeAppointment(turn, row, { status, reminder })
    return { body: recordOf(turn, row) }
  },
} satisfies Command<TransitionAppointment>

/**
 * Slots: a user's pending and confirmed appointments never overlap, in all projects of the company. This check names the
 * appointment in the way; the table refuses what other projects take at the same moment.
 */
import { type Appointment, type AppointmentStatus, overlap, type Slot } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { appointmentReads } from './reads.ts'

/** True for appointments that are still to come. */
export function isOpen(status: AppointmentStatus): boolean {
  return status === 'pending' || status === 'confirmed'
}

function slotOf({ status, assigned_to, starts_at, ends_at }: Appointment): Slot | undefined {
  return isOpen(status) && assigned_to ? { assigned_to, starts_at, ends_at } : undefined
}

/**
 * Appointments of other projects are not named.
 * @throws {Refusal} APPOINTMENT_SLOT_TAKEN
 */
export function mustBeFree({ records, state }: ProjectTurn, appointment: Appointment): void {
  const slot = slotOf(appointment)
  if (!slot) return
  for (const held of records.of(appointmentReads).held.values()) {
    if (held.id === appointment.id || !overlap(held, slot)) continue
    const { id: appointment_id, number, starts_at, ends_at } = held
    const details = held.project_id === state.project_id ? { appointment_id, number, starts_at, ends_at } : undefined
    throw refuse('APPOINTMENT_SLOT_TAKEN', details)
  }
}

/** Tells later messages of the turn which slot the appointment holds now. */
export function keepSlot({ records }: ProjectTurn, appointment: Appointment): void {
  const { held } = records.of(appointmentReads)
  const slot = slotOf(appointment)
  const { id, project_id, number } = appointment
  if (slot) held.set(id, { id, project_id, number, ...slot })
  else held.delete(id)
}

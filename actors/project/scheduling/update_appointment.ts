/** `PATCH /admin/v1/appointments/{id}`. `null` clears a field; a status is reached as by its own route. */
import type { Appointment } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import { contactNamed } from '../contacts/reads.ts'
import type { Command } from '../turn/feature.ts'
import { auditedAppointment } from './audited.ts'
import { changeAppointment, eventTo, statusAfter } from './change.ts'
import { type AppointmentFields, checkReferences, wantFields } from './fields.ts'
import { appointmentReads, wantAppointment } from './reads.ts'
import { mustBeSendable, reminderAfter } from './reminder.ts'
import { recordOf } from './report.ts'
import { isOpen } from './slots.ts'
import { timesAfter } from './times.ts'

export type UpdateAppointment = { type: 'update_appointment'; id: string; patch: AppointmentFields }

/** Fields that an appointment that has ended keeps. */
const OF_OPEN = ['starts_at', 'ends_at', 'timezone', 'assigned_to', 'reminder'] as const

/**
 * @throws {Refusal} NOT_FOUND, APPOINTMENT_NOT_OPEN, APPOINTMENT_NOT_PENDING, and the codes of `createAppointment`
 */
export const updateAppointment = {
  audit: auditedAppointment,
  reads(reads, { id, patch }) {
    wantAppointment(reads, id)
    wantFields(reads, patch, id)
  },
  run(turn, { id, patch }, { providers }) {
    const row = turn.records.of(appointmentReads).by_id.get(id)
    if (!row) throw refuse('NOT_FOUND')
    const { starts_at, ends_at, timezone, reminder, ...fields } = patch
    const rest = fields.chat_user ? { ...fields, chat_user: contactNamed(turn.records, fields.chat_user)?._id } : fields
    const status = nextStatus(row, patch.status)
    if (!isOpen(row.status) && OF_OPEN.some((field) => patch[field] !== undefined)) {
      throw refuse('APPOINTMENT_NOT_OPEN', { status: row.status })
    }
    checkReferences(turn, patch, row)
    const times = starts_at || ends_at || timezone ? timesAfter(row, { starts_at, ends_at, timezone }) : {}
    const next: Appointment = { ...row, ...definedFields(rest), ...times, status }
    if (reminder) mustBeSendable(turn, next, reminder, providers)
    const change = { ...rest, ...times, status, reminder: reminderAfter(row, next, reminder, turn.now) }
    changeAppointment(turn, row, change)
    return { body: recordOf(turn, row) }
  },
} satisfies Command<UpdateAppointment>

function nextStatus(row: Appointment, asked: Appointment['status'] | undefined): Appointment['status'] {
  if (asked === undefined || asked === row.status) return row.status
  const event = eventTo[asked]
  if (event) return statusAfter(row, event)
  throw refuse('APPOINTMENT_NOT_OPEN', { status: row.status }, 'An appointment does not become pending again.')
}

function definedFields<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields
}

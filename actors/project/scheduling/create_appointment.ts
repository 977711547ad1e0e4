/**
 * `POST /admin/v1/appointments`. The number follows the last one of the project. It is raised in the transaction that
 * stores the appointment, so a refused or failed creation takes none.
 */
import { Appointment, AppointmentCounter, blank, objectId } from '../../../storage/mod.ts'
import { contactNamed } from '../contacts/reads.ts'
import type { Command } from '../turn/feature.ts'
import { auditedAppointment } from './audited.ts'
import { eventTo, statusAfter } from './change.ts'
import { type AppointmentFields, checkReferences, wantFields } from './fields.ts'
import { appointmentReads } from './reads.ts'
import { keepTimer, mustBeSendable, reminderAfter } from './reminder.ts'
import { recordOf, report, reportPayment } from './report.ts'
import { keepSlot, mustBeFree } from './slots.ts'
import { timesAfter } from './times.ts'

export type CreateAppointment = { type: 'create_appointment'; fields: AppointmentFields }

/**
 * @throws {Refusal} NO_CONTACT, CUSTOMER_NOT_FOUND, ASSIGNEE_NOT_FOUND, APPOINTMENT_SLOT_TAKEN, codes of `timesAfter`
 * and `mustBeSendable`
 */
export const createAppointment = {
  audit: auditedAppointment,
  reads(reads, { fields }) {
    wantFields(reads, fields)
    reads.of(appointmentReads).next_number = true
  },
  run(turn, { fields }, { providers }) {
    const { company_id, project_id } = turn.state
    const records = turn.records.of(appointmentReads)
    checkReferences(turn, fields)
    const { starts_at, ends_at, timezone, reminder, status = 'pending', ...rest } = fields
    const contact = contactNamed(turn.records, fields.chat_user)
    const chat_user = contact?._id ?? null
    const customer_id = rest.customer_id ?? contact?.customer_id ?? null
    const event = eventTo[status]
    const row = blank(Appointment, {
      id: objectId(),
      company_id,
      project_id,
      number: records.last_number + 1,
      status: event ? statusAfter({ status: 'pending' }, event) : status,
      modality: rest.modality ?? 'in-person',
      payment_status: rest.payment_status ?? 'unpaid',
      amount: rest.amount ?? null,
      currency: rest.currency ?? null,
      ...timesAfter(undefined, { starts_at, ends_at, timezone }),
      chat_user,
      customer_id,
      assigned_to: rest.assigned_to ?? null,
      meeting_url: rest.meeting_url ?? null,
      location: rest.location ?? null,
      created_at: turn.now,
      updated_at: turn.now,
    })
    mustBeFree(turn, row)
    if (reminder) mustBeSendable(turn, row, reminder, providers)
    row.reminder = reminderAfter(undefined, row, reminder, turn.now)
    records.last_number = row.number
    records.by_id.set(row.id, row)
    turn.upsert(AppointmentCounter, { project_id, last_number: row.number })
    turn.insert(Appointment, row)
    keepSlot(turn, row)
    keepTimer(turn, null, row)
    report(turn, row, 'created')
    if (row.status !== 'pending') report(turn, row, row.status)
    if (row.payment_status === 'paid') reportPayment(turn, row)
    return { body: recordOf(turn, row) }
  },
} satisfies Command<CreateAppointment>

/** The appointment as the API shows it. */
import * as v from 'valibot'
import type { AppointmentView } from '../../../storage/mod.ts'
import { isUrl } from '../../outbound/mod.ts'
import {
  type InMemory,
  jsonTimestamp,
  maxCharacters,
  minCharacters,
  named,
  recordId,
  timestamp,
  valuesOf,
  writtenText,
} from '../../schema/mod.ts'
import { isCurrency } from '../currency.ts'
import { exampleIds as ids } from '../example_ids.ts'

export const appointmentStatus = v.picklist(['pending', 'confirmed', 'cancelled', 'completed', 'no_show'])

const amount = v.pipe(v.number(), v.finite('must be a finite number'), v.minValue(0), v.number())

const currency = v.pipe(
  v.string(),
  v.check(isCurrency, 'must be a currency code of ISO 4217, in capitals, such as MXN'),
)

const meetingUrl = v.pipe(
  v.string(),
  maxCharacters(2048),
  v.check(
    (text) => /^https?:\/\/[^\s\\]+$/.test(text) && isUrl(text),
    'must be an absolute URL such as https://meet.example.com/a-1',
  ),
)

/** Columns that operators and agents write, within their bounds. `null` clears them. */
export const appointmentFields = v.object({
  status: appointmentStatus,
  modality: v.picklist(['online', 'in-person']),
  payment_status: v.picklist(['unpaid', 'pending', 'paid', 'refunded']),
  amount: v.nullable(amount),
  currency: v.nullable(currency),
  meeting_url: v.nullable(writtenText(meetingUrl)),
  location: v.nullable(writtenText(v.pipe(v.string(), minCharacters(1), maxCharacters(500)))),
})

export const appointmentReminder = v.object({
  hours_before: v.number(),
  template_name: v.string(),
  template_language: v.string(),
  variables: v.record(v.string(), v.string()),
  channel_id: v.nullable(recordId),
  status: v.picklist(['scheduled', 'sent', 'failed', 'skipped', 'cancelled']),
  due_at: jsonTimestamp,
  message_id: v.nullable(v.string()),
  error: v.nullable(v.object({ code: v.string(), message: v.string() })),
})

/** Columns that the record shows as they are stored. */
const columns = v.object({
  id: recordId,
  number: v.pipe(v.number(), v.description('Counts the appointments of the project, from 1')),
  ...appointmentFields.entries,
  starts_at: timestamp,
  ends_at: timestamp,
  timezone: v.pipe(v.string(), v.description('IANA name of the zone in which people see the times')),
  chat_user: v.nullable(recordId),
  customer_id: v.nullable(recordId),
  reminder: v.nullable(appointmentReminder),
  created_at: timestamp,
  updated_at: timestamp,
})

export const appointmentRecord = named(
  'Appointment',
  v.object({
    _id: recordId,
    ...columns.entries,
    assigned_to: v.nullable(v.object({ id: recordId, full_name: v.string(), email: v.string() })),
  }),
)

export type AppointmentRecord = InMemory<v.InferOutput<typeof appointmentRecord>>

export function toAppointmentRecord({ appointment, assignee }: AppointmentView): AppointmentRecord {
  return {
    _id: appointment.id,
    ...valuesOf(columns, appointment),
    assigned_to: assignee && { id: assignee._id, full_name: assignee.full_name, email: assignee.email },
  }
}

export const appointmentExample: v.InferOutput<typeof appointmentRecord> = {
  _id: ids.appointment,
  id: ids.appointment,
  number: 1042,
  status: 'pending',
  modality: 'online',
  payment_status: 'unpaid',
  amount: 600,
  currency: 'MXN',
  starts_at: '2026-09-25T16:00:00.000Z',
  ends_at: '2026-09-25T16:30:00.000Z',
  timezone: 'America/Mexico_City',
  chat_user: ids.contact,
  customer_id: ids.customer,
  assigned_to: { id: ids.user, full_name: 'Luis Vega', email: 'luis@example.com' },
  meeting_url: 'https://meet.example.com/a-1042',
  location: null,
  reminder: null,
  created_at: '2026-09-21T14:13:20.000Z',
  updated_at: '2026-09-22T08:30:00.000Z',
}

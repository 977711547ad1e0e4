import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export type AppointmentStatus = 'pending' | 'confirmed' | 'cancelled' | 'completed' | 'no_show'
export type AppointmentModality = 'online' | 'in-person'
export type PaymentStatus = 'unpaid' | 'pending' | 'paid' | 'refunded'

/**
 * - `scheduled` its time is to come
 * - `sent`      the message was accepted for sending; `message_id` names it
 * - `failed`    the message could not be accepted; `error` says why
 * - `skipped`   its time was over when it was set, or when the service could send it
 * - `cancelled` the appointment ended before
 */
export type ReminderStatus = 'scheduled' | 'sent' | 'failed' | 'skipped' | 'cancelled'

/** A template that is sent before an appointment. Times are ISO 8601. */
export type Reminder = {
  hours_before: number
  template_name: string
  template_language: string
  /** Values of the template's placeholders, which may name fields of the appointment. */
  variables: Record<string, string>
  channel_id: string | null
  status: ReminderStatus
  due_at: string
  message_id: string | null
  error: { code: string; message: string } | null
}

/** An appointment of a project, with a contact, a customer or nobody in particular. */
export const Appointment = defineEntity({
  name: 'Appointment',
  tableName: 'appointment',
  properties: {
    id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    /** Counts the appointments of the project, from 1 and without gaps. */
    number: p.integer(),
    status: p.text().$type<AppointmentStatus>(),
    modality: p.text().$type<AppointmentModality>(),
    payment_status: p.text().$type<PaymentStatus>(),
    amount: p.decimal('number').columnType('numeric').nullable(),
    currency: p.text().nullable(),
    starts_at: p.datetime(3),
    ends_at: p.datetime(3),
    /** IANA name, in which people see the times. */
    timezone: p.text(),
    /** The contact. */
    chat_user: p.text().nullable(),
    customer_id: p.text().nullable(),
    /** A user of the company, whose pending and confirmed appointments never overlap. */
    assigned_to: p.text().nullable(),
    meeting_url: p.text().nullable(),
    location: p.text().nullable(),
    reminder: p.json<Reminder>().columnType('json').nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type Appointment = InferEntity<typeof Appointment>

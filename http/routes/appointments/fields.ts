/** Appointments as the public API and the operator API show and list them. */
import * as v from 'valibot'
import { named, recordId, timestamp } from '../../../actors/mod.ts'
import { order } from '../../server/schema/fields.ts'
import { former } from '../../server/schema/former.ts'
import { instantQuery } from '../../server/schema/instant.ts'

export const appointmentStatus = v.picklist(['pending', 'confirmed', 'cancelled', 'completed', 'no_show'])
export const modality = v.picklist(['online', 'in-person'])
export const paymentStatus = v.picklist(['unpaid', 'pending', 'paid', 'refunded'])

const reminder = v.object({
  hours_before: v.number(),
  template_name: v.string(),
  template_language: v.string(),
  variables: v.record(v.string(), v.string()),
  channel_id: v.nullable(recordId),
  status: v.picklist(['scheduled', 'sent', 'failed', 'skipped', 'cancelled']),
  due_at: timestamp,
  message_id: v.nullable(v.string()),
  error: v.nullable(v.object({ code: v.string(), message: v.string() })),
})

export const appointment = named(
  'Appointment',
  v.object({
    _id: recordId,
    id: recordId,
    number: v.pipe(v.number(), v.description('Counts the appointments of the project, from 1')),
    status: appointmentStatus,
    modality,
    payment_status: paymentStatus,
    amount: v.nullable(v.number()),
    currency: v.nullable(v.string()),
    starts_at: timestamp,
    ends_at: timestamp,
    timezone: v.pipe(v.string(), v.description('IANA name of the zone in which people see the times')),
    chat_user: v.nullable(recordId),
    customer_id: v.nullable(recordId),
    assigned_to: v.nullable(v.object({ id: recordId, full_name: v.string(), email: v.string() })),
    meeting_url: v.nullable(v.string()),
    location: v.nullable(v.string()),
    reminder: v.nullable(reminder),
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

const moment = v.pipe(
  instantQuery,
  v.transform((text) => new Date(text)),
)

const since = v.optional(v.pipe(moment, v.description('Appointments that begin at this moment or later')))
const until = v.optional(v.pipe(moment, v.description('Appointments that begin before this moment')))

/** Parameters of a list, beside its paging. */
export const appointmentFilter = {
  status: v.optional(appointmentStatus),
  assigned_to: v.optional(recordId),
  customer_id: v.optional(recordId),
  chat_user: v.optional(recordId),
  since,
  until,
  starts_from: former('since', since, '2026-11-29'),
  starts_before: former('until', until, '2026-11-29'),
  sort: v.optional(v.picklist(['starts_at', 'created_at']), 'starts_at'),
  order: order('asc'),
}

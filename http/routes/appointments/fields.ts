/** Parameters of lists of appointments, in the public API and in that of operators. */
import * as v from 'valibot'
import { appointmentStatus, recordId } from '../../../actors/mod.ts'
import { order } from '../../server/schema/fields.ts'
import { former } from '../../server/schema/former.ts'
import { instantQuery } from '../../server/schema/instant.ts'

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

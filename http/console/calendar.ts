/** The calendar of appointments: those between two moments, each with the names of its people. */
import * as v from 'valibot'
import { appointmentRecord, appointmentStatus, named, recordId, toAppointmentRecord } from '../../actors/mod.ts'
import { type CalendarView, listCalendar } from '../../storage/mod.ts'
import type { Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'
import { instantQuery } from '../server/schema/instant.ts'

/** Appointments of one answer. */
const MAX = 1000

const moment = v.pipe(
  instantQuery,
  v.transform((text) => new Date(text)),
)

const entry = named(
  'CalendarEntry',
  v.object({
    ...appointmentRecord.entries,
    contact: v.nullable(v.object({ _id: recordId, name: v.nullable(v.string()), phone: v.nullable(v.string()) })),
    customer: v.nullable(v.object({ _id: recordId, full_name: v.nullable(v.string()) })),
  }),
)

function show({ contact, customer, ...view }: CalendarView) {
  return { ...toAppointmentRecord(view), contact, customer }
}

export const calendarRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/console/projects/:project_id/scheduling/calendar',
    operation: 'console_list_calendar',
    summary: 'List the appointments that take place between two moments, the earliest first, with their people',
    auth: 'agent',
    pool: 'exempt',
    query: v.strictObject({
      from: moment,
      before: v.optional(moment),
      status: v.optional(appointmentStatus),
      assigned_to: v.optional(recordId),
    }),
    status: 200,
    response: v.object({ data: v.array(entry), has_more: v.boolean() }),
    errors: ['NOT_FOUND'],
    async read({ query }, { database, project_id }) {
      const { data, has_more } = await listCalendar(database, { project_id, ...query }, MAX)
      return { data: data.map(show), has_more }
    },
  }),
]

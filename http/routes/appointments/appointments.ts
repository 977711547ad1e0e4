/** Appointments. Operators create and change them; clients read and confirm them. */
import * as v from 'valibot'
import { appointmentRecord, plainIdPattern, toAppointmentRecord } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { findAppointment, listAppointments } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { beginOnce, followedPageOf, limit, offset, ofSameSort, sortedCursor } from '../../server/schema/fields.ts'
import { inOrder } from '../../server/schema/instant.ts'
import { appointmentFilter } from './fields.ts'

const reads = { auth: 'token', scope: 'scheduling:appointments:read' } as const

export const appointmentRoutes: Route[] = [
  route({
    ...reads,
    method: 'GET',
    path: '/v1/scheduling/appointments',
    operation: 'list_appointments',
    summary: 'List appointments by the time at which they begin, the earliest first',
    query: v.pipe(
      v.strictObject({ ...appointmentFilter, limit, offset, cursor: sortedCursor }),
      inOrder(),
      beginOnce(),
      ofSameSort(),
    ),
    status: 200,
    response: followedPageOf(appointmentRecord),
    async read({ query: { limit, offset, cursor, sort, order, ...filter } }, { database, project_id }) {
      const window = { limit, offset, cursor, sort, order }
      const { data, ...found } = await listAppointments(database, { ...filter, project_id }, window)
      return { ...found, data: data.map(toAppointmentRecord), limit, offset }
    },
  }),
  route({
    ...reads,
    method: 'GET',
    path: '/v1/scheduling/appointments/:id',
    operation: 'get_appointment',
    summary: 'Get an appointment',
    params: { id: plainIdPattern },
    status: 200,
    response: appointmentRecord,
    errors: ['NOT_FOUND'],
    async read({ params }, { database, project_id }) {
      const found = await findAppointment(database, { id: params.id, project_id })
      if (!found) throw new Refusal('NOT_FOUND')
      return toAppointmentRecord(found)
    },
  }),
  route({
    method: 'POST',
    path: '/v1/scheduling/appointments/:id/confirm',
    operation: 'confirm_appointment',
    summary: 'Confirm a pending appointment',
    auth: 'token',
    scope: 'scheduling:appointments:confirm',
    audited: true,
    params: { id: plainIdPattern },
    status: 200,
    response: appointmentRecord,
    errors: ['NOT_FOUND', 'APPOINTMENT_NOT_PENDING', 'APPOINTMENT_SLOT_TAKEN'],
    command: ({ params }) => ({ type: 'transition_appointment', id: params.id, event: 'confirm' }),
  }),
]

/** Appointments in the console: created, changed and ended by agents, as by operators. */

import { appointmentRecord, plainIdPattern } from '../../actors/mod.ts'
import { appointmentErrors, changedAppointment, newAppointment } from '../routes/appointments/body.ts'
import type { Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'

const LIST = '/console/projects/:project_id/scheduling/appointments'
const one = { params: { id: plainIdPattern } } as const
const common = { auth: 'agent', pool: 'exempt', response: appointmentRecord } as const

const ends = [
  ['cancel', 'Cancel an appointment; its time is free again, and its reminder is not sent'],
  ['complete', 'Record that an appointment took place'],
  ['no_show', 'Record that the person did not come'],
] as const

export const appointmentRoutes: Route[] = [
  route({
    ...common,
    method: 'POST',
    path: LIST,
    operation: 'console_create_appointment',
    summary: 'Create an appointment; it gets the next number',
    body: newAppointment({}),
    status: 201,
    errors: ['NOT_FOUND', ...appointmentErrors],
    command: ({ body }) => ({ type: 'create_appointment', fields: body }),
  }),
  route({
    ...common,
    ...one,
    method: 'PATCH',
    path: `${LIST}/:id`,
    operation: 'console_update_appointment',
    summary: 'Change the given fields of an appointment; a start without an end moves it',
    body: changedAppointment,
    status: 200,
    errors: ['NOT_FOUND', 'APPOINTMENT_NOT_OPEN', 'APPOINTMENT_NOT_PENDING', ...appointmentErrors],
    command: ({ params, body }) => ({ type: 'update_appointment', id: params.id, patch: body }),
  }),
  ...ends.map(([event, summary]) =>
    route({
      ...common,
      ...one,
      method: 'POST',
      path: `${LIST}/:id/${event.replace('_', '-')}`,
      operation: `console_${event}_appointment`,
      summary,
      status: 200,
      errors: ['NOT_FOUND', 'APPOINTMENT_NOT_OPEN'],
      command: ({ params }) => ({ type: 'transition_appointment', id: params.id, event }),
    }),
  ),
]

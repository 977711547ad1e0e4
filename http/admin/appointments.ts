/**
 * Appointments of projects, for operators. Changes are commands of the project's actor, which alone gives numbers and
 * slots.
 */
import * as v from 'valibot'
import { appointmentRecord, exampleIds, named, type OperatorCommand, toAppointmentRecord } from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import { type AppointmentView, findAppointment, isObjectId, listAppointments } from '../../storage/mod.ts'
import { appointmentErrors, changedAppointment, newAppointment } from '../routes/appointments/body.ts'
import { appointmentFilter } from '../routes/appointments/fields.ts'
import type { RequestContext } from '../server/route/route.ts'
import { beginOnce, ofSameSort, sortedCursor } from '../server/schema/fields.ts'
import { inOrder } from '../server/schema/instant.ts'
import { objectId, paging, recordsOf } from './fields.ts'
import { operate } from './operate.ts'
import { operatorRoute } from './operator_route.ts'

const record = named('OperatorAppointment', v.object({ project_id: objectId, ...appointmentRecord.entries }))

function show(view: AppointmentView) {
  return { project_id: view.appointment.project_id, ...toAppointmentRecord(view) }
}

/** @throws {Refusal} NOT_FOUND when the id is malformed or unknown */
async function found({ database }: RequestContext, id: string | undefined): Promise<AppointmentView> {
  const known = id && isObjectId(id) ? await findAppointment(database, { id }) : undefined
  if (!known) throw new Refusal('NOT_FOUND')
  return known
}

type Command = Extract<OperatorCommand, { type: `${string}_appointment` }>

async function change(context: RequestContext, project_id: string, command: Command) {
  const { body } = await operate(context, project_id, command)
  return { project_id, ...body }
}

const transitions = [
  ['confirm', 'Confirm a pending appointment', 'APPOINTMENT_NOT_PENDING'],
  ['cancel', 'Cancel an appointment; its time is free again, and its reminder is not sent', 'APPOINTMENT_NOT_OPEN'],
  ['complete', 'Record that an appointment took place', 'APPOINTMENT_NOT_OPEN'],
  ['no_show', 'Record that the person did not come', 'APPOINTMENT_NOT_OPEN'],
] as const

export const appointmentAdminRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/appointments',
    operation: 'create_appointment',
    example: {
      body: {
        project_id: exampleIds.project,
        starts_at: '2027-09-25T16:00:00.000Z',
        ends_at: '2027-09-25T16:30:00.000Z',
        timezone: 'America/Mexico_City',
        modality: 'online',
        chat_user: exampleIds.contact,
        meeting_url: 'https://meet.example.com/a-1042',
      },
    },
    summary: 'Create an appointment of a project; it gets the next number',
    status: 201,
    body: newAppointment({ project_id: objectId }),
    response: record,
    errors: ['PROJECT_NOT_FOUND', ...appointmentErrors],
    change: ({ body: { project_id, ...fields } }, context) =>
      change(context, project_id, { type: 'create_appointment', fields }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/appointments',
    operation: 'list_appointment_records',
    summary: 'List appointments by the time at which they begin, the earliest first',
    status: 200,
    query: v.pipe(
      v.strictObject({ ...paging, cursor: sortedCursor, project_id: v.optional(objectId), ...appointmentFilter }),
      inOrder(),
      beginOnce(),
      ofSameSort(),
    ),
    response: recordsOf(record),
    async read({ query: { limit, offset, cursor, sort, order, ...filter } }, { database }) {
      const { data, ...found } = await listAppointments(database, filter, { limit, offset, cursor, sort, order })
      return { ...found, data: data.map(show), limit, offset }
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/appointments/:id',
    operation: 'get_appointment_record',
    summary: 'Get an appointment',
    status: 200,
    response: record,
    errors: ['NOT_FOUND'],
    read: async ({ params }, context) => show(await found(context, params.id)),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/appointments/:id',
    operation: 'update_appointment',
    example: { body: { payment_status: 'paid' } },
    summary: 'Change the given fields of an appointment; a start without an end moves it',
    status: 200,
    body: changedAppointment,
    response: record,
    errors: ['NOT_FOUND', 'APPOINTMENT_NOT_OPEN', 'APPOINTMENT_NOT_PENDING', ...appointmentErrors],
    async change({ params, body: patch }, context) {
      const { project_id } = (await found(context, params.id)).appointment
      return change(context, project_id, { type: 'update_appointment', id: params.id, patch })
    },
  }),
  ...transitions.map(([event, summary, code]) =>
    operatorRoute({
      method: 'POST',
      path: `/admin/v1/appointments/:id/${event.replace('_', '-')}`,
      operation: `${event}_appointment_record`,
      summary,
      status: 200,
      response: record,
      errors: ['NOT_FOUND', code, ...(event === 'confirm' ? (['APPOINTMENT_SLOT_TAKEN'] as const) : [])],
      async change({ params }, context) {
        const { project_id } = (await found(context, params.id)).appointment
        return change(context, project_id, { type: 'transition_appointment', id: params.id, event })
      },
    }),
  ),
]

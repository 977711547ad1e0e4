/** Appointments. A timer for the reminder of an erased one finds nothing to do. */
import { Appointment } from '../../entities/mod.ts'
import type { RecordKind } from '../record_kind.ts'
import { textArray } from '../subject.ts'
import { inProject } from './conditions.ts'

export const appointmentKinds: RecordKind[] = [
  {
    type: 'appointment',
    table: 'appointment',
    entity: Appointment,
    named_by: 'id',
    person: ({ contacts, customers }) =>
      `(chat_user = any (${textArray(contacts)}) or customer_id = any (${textArray(customers)}))`,
    project: inProject,
  },
  { type: 'appointment_counter', table: 'appointment_counter', project: inProject },
]

/** Appointments. A timer for the reminder of an erased one finds nothing to do. */
import { Appointment } from '../../entities/mod.ts'
import { sql } from '../../sql/sql.ts'
import type { RecordKind } from '../record_kind.ts'
import { inProject } from './conditions.ts'

export const appointmentKinds: RecordKind[] = [
  {
    type: 'appointment',
    table: 'appointment',
    entity: Appointment,
    named_by: sql`id`,
    person: ({ contacts, customers }) => sql`(chat_user = any (${contacts}) or customer_id = any (${customers}))`,
    project: inProject,
  },
  { type: 'appointment_counter', table: 'appointment_counter', project: inProject },
]

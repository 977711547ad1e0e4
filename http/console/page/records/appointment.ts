import type { Appointment } from '../../../client/generated/types.ts'

export type { Appointment } from '../../../client/generated/types.ts'

export type AppointmentStatus = Appointment['status']

/** With the names of the people; missing in answers to changes and in events. */
export type CalendarEntry = Appointment & {
  contact?: { _id: string; name: string | null; phone: string | null } | null
  customer?: { _id: string; full_name: string | null } | null
}

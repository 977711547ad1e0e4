import type { Appointment } from '../../../client/generated/types.ts'
import type { CalendarEntry as Answered } from './generated.ts'

export type { Appointment } from '../../../client/generated/types.ts'

export type AppointmentStatus = Appointment['status']

/** With the names of the people; missing in answers to changes and in events. */
export type CalendarEntry = Appointment & Partial<Pick<Answered, 'contact' | 'customer'>>

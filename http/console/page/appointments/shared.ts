import type { Project } from '../data/project.ts'
import type { CalendarEntry } from '../records/appointment.ts'
import type { Calendar } from './calendar.ts'
import type { AppointmentsPlace } from './places.ts'

/** The request for a form: an appointment to change, or a time for a new one. */
export type FormSubject = { entry: CalendarEntry } | { day: string; minutes: number; length: number }

/** Props that the views share. `go` changes the place; `days` are those that are shown. */
export type Shared = {
  project: Project
  calendar: Calendar
  place: AppointmentsPlace
  today: string
  days: string[]
  go(change: Partial<AppointmentsPlace>): void
  edit(subject: FormSubject): void
}

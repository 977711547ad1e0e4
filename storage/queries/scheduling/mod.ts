export {
  type AppointmentFilter,
  type AppointmentRecord,
  type FoundAppointment,
  findAppointment,
  type HeldSlot,
  listAppointments,
  overlap,
  readAppointments,
  readHeldSlots,
  readLastNumber,
  type Slot,
  toAppointmentRecord,
} from './appointments.ts'
export { type CalendarEntry, listCalendar } from './calendar.ts'

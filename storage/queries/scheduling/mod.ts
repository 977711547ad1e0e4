export {
  type AppointmentFilter,
  type AppointmentView,
  findAppointment,
  type HeldSlot,
  listAppointments,
  overlap,
  readAppointments,
  readHeldSlots,
  readLastNumber,
  type Slot,
} from './appointments.ts'
export { type CalendarView, listCalendar } from './calendar.ts'

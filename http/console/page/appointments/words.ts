/** Appointments in words. No DOM. */
import type { AppointmentStatus, CalendarEntry } from '../records/appointment.ts'
import type { Fault } from '../records/fault.ts'
import { personName } from '../ui/format/format.ts'

export const STATUS_WORDS: Record<AppointmentStatus, { text: string; badge: string }> = {
  pending: { text: 'Pending', badge: 'cancelled' },
  confirmed: { text: 'Confirmed', badge: 'sending' },
  completed: { text: 'Completed', badge: 'completed' },
  cancelled: { text: 'Cancelled', badge: '' },
  no_show: { text: 'No show', badge: 'failed' },
}

/** The status of an appointment after each step. */
export const STATUS_AFTER = {
  confirm: 'confirmed',
  complete: 'completed',
  cancel: 'cancelled',
  'no-show': 'no_show',
} as const

export type Step = keyof typeof STATUS_AFTER

/** Actions on an appointment, by its status; the path of each request. */
const STEPS: Record<'pending' | 'confirmed', { event: Step; text: string; done: string }[]> = {
  pending: [
    { event: 'confirm', text: 'Confirm', done: 'confirmed' },
    { event: 'complete', text: 'Complete', done: 'completed' },
    { event: 'no-show', text: 'No show', done: 'recorded as a no-show' },
    { event: 'cancel', text: 'Cancel appointment', done: 'cancelled' },
  ],
  confirmed: [
    { event: 'complete', text: 'Complete', done: 'completed' },
    { event: 'no-show', text: 'No show', done: 'recorded as a no-show' },
    { event: 'cancel', text: 'Cancel appointment', done: 'cancelled' },
  ],
}

export function stepsOf(status: AppointmentStatus) {
  return status === 'pending' || status === 'confirmed' ? STEPS[status] : []
}

export function isOpen(status: AppointmentStatus) {
  return status === 'pending' || status === 'confirmed'
}

/** The person of an appointment. */
export function personOf({ contact, customer, number }: CalendarEntry) {
  return contact?.name || customer?.full_name || (contact && personName(contact)) || `Appointment ${number}`
}

const language = globalThis.navigator?.language?.startsWith('en') ? navigator.language : 'en-GB'
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string, options: Intl.DateTimeFormatOptions) {
  const name = `${zone} ${JSON.stringify(options)}`
  const format = formats.get(name) ?? new Intl.DateTimeFormat(language, { timeZone: zone, ...options })
  formats.set(name, format)
  return format
}

/** `10:00`. */
export function timeText(at: string | number, zone: string) {
  return formatOf(zone, { hour: '2-digit', minute: '2-digit' }).format(new Date(at))
}

/** `10:00 – 10:30`. */
export function rangeText({ starts_at, ends_at }: Pick<CalendarEntry, 'starts_at' | 'ends_at'>, zone: string) {
  return `${timeText(starts_at, zone)} – ${timeText(ends_at, zone)}`
}

/** `Wednesday 25 November, 10:00 – 10:30`. */
export function whenText(entry: Pick<CalendarEntry, 'starts_at' | 'ends_at'>, zone: string) {
  const day = formatOf(zone, { weekday: 'long', day: 'numeric', month: 'long' }).format(new Date(entry.starts_at))
  return `${day}, ${rangeText(entry, zone)}`
}

/** A local day in parts: `Wed`, `25`, `Wednesday 25 November`. */
export function dayText(day: string) {
  const at = new Date(`${day}T12:00:00Z`)
  return {
    weekday: formatOf('UTC', { weekday: 'short' }).format(at),
    number: formatOf('UTC', { day: 'numeric' }).format(at),
    whole: formatOf('UTC', { weekday: 'long', day: 'numeric', month: 'long' }).format(at),
  }
}

/** `November 2026`, `Nov – Dec 2026`. */
export function monthText(first: string, last: string) {
  const from = new Date(`${first}T12:00:00Z`)
  const to = new Date(`${last}T12:00:00Z`)
  if (first.slice(0, 7) === last.slice(0, 7)) return formatOf('UTC', { month: 'long', year: 'numeric' }).format(from)
  const year = first.slice(0, 4) === last.slice(0, 4) ? {} : ({ year: 'numeric' } as const)
  const month = formatOf('UTC', { month: 'short', ...year }).format(from)
  return `${month} – ${formatOf('UTC', { month: 'short', year: 'numeric' }).format(to)}`
}

/** `details` depends on the code. */
export type Refusal = Fault & {
  details?: {
    number?: number
    starts_at?: string
    ends_at?: string
    status?: AppointmentStatus
    choices?: string[]
    nearest?: string[]
  }
}

/** Why an appointment could not be changed, with the appointment that is in the way. */
export function refusalText({ code, message, details }: Refusal, zone: string) {
  if (code === 'APPOINTMENT_SLOT_TAKEN') {
    const { number, starts_at, ends_at } = details ?? {}
    return number === undefined || starts_at === undefined || ends_at === undefined
      ? 'The assignee has another appointment at this time, in another project.'
      : `The assignee has appointment ${number} from ${timeText(starts_at, zone)} to ${timeText(ends_at, zone)}.`
  }
  if (code === 'APPOINTMENT_NOT_OPEN' || code === 'APPOINTMENT_NOT_PENDING') {
    const status = details?.status
    return `It is ${(status && STATUS_WORDS[status]?.text.toLowerCase()) ?? 'over'} already.`
  }
  if (code === 'LOCAL_TIME_MISSING') return 'Clocks are put forward and skip this time. Choose another one.'
  if (code === 'LOCAL_TIME_AMBIGUOUS') return 'Clocks are put back and show this time twice. Which one is meant?'
  return message
}

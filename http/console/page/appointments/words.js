/** Appointments in words. No DOM. */
import { personName } from '../ui/format.js'

/** @typedef {import('../../page_types/appointment.ts').CalendarEntry} CalendarEntry */
/** @typedef {import('../../page_types/appointment.ts').AppointmentStatus} AppointmentStatus */

/** @type {Record<AppointmentStatus, { text: string, badge: string }>} */
export const STATUS_WORDS = {
  pending: { text: 'Pending', badge: 'cancelled' },
  confirmed: { text: 'Confirmed', badge: 'sending' },
  completed: { text: 'Completed', badge: 'completed' },
  cancelled: { text: 'Cancelled', badge: '' },
  no_show: { text: 'No show', badge: 'failed' },
}

/** Actions on an appointment, by its status; the path of each request. */
const STEPS = {
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

/** @param {AppointmentStatus} status */
export function stepsOf(status) {
  return status === 'pending' || status === 'confirmed' ? STEPS[status] : []
}

/** @param {AppointmentStatus} status */
export function isOpen(status) {
  return status === 'pending' || status === 'confirmed'
}

/** The person of an appointment. @param {CalendarEntry} entry */
export function personOf({ contact, customer, number }) {
  return contact?.name || customer?.full_name || (contact && personName(contact)) || `Appointment ${number}`
}

const language = globalThis.navigator?.language?.startsWith('en') ? navigator.language : 'en-GB'
/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map()

/**
 * @param {string} zone
 * @param {Intl.DateTimeFormatOptions} options
 */
function formatOf(zone, options) {
  const name = `${zone} ${JSON.stringify(options)}`
  const format = formats.get(name) ?? new Intl.DateTimeFormat(language, { timeZone: zone, ...options })
  formats.set(name, format)
  return format
}

/**
 * `10:00`.
 *
 * @param {string | number} at
 * @param {string} zone
 */
export function timeText(at, zone) {
  return formatOf(zone, { hour: '2-digit', minute: '2-digit' }).format(new Date(at))
}

/**
 * `10:00 – 10:30`.
 *
 * @param {Pick<CalendarEntry, 'starts_at' | 'ends_at'>} entry
 * @param {string} zone
 */
export function rangeText({ starts_at, ends_at }, zone) {
  return `${timeText(starts_at, zone)} – ${timeText(ends_at, zone)}`
}

/**
 * `Wednesday 25 November, 10:00 – 10:30`.
 *
 * @param {Pick<CalendarEntry, 'starts_at' | 'ends_at'>} entry
 * @param {string} zone
 */
export function whenText(entry, zone) {
  const day = formatOf(zone, { weekday: 'long', day: 'numeric', month: 'long' }).format(new Date(entry.starts_at))
  return `${day}, ${rangeText(entry, zone)}`
}

/**
 * A local day in parts: `Wed`, `25`, `Wednesday 25 November`.
 *
 * @param {string} day
 */
export function dayText(day) {
  const at = new Date(`${day}T12:00:00Z`)
  return {
    weekday: formatOf('UTC', { weekday: 'short' }).format(at),
    number: formatOf('UTC', { day: 'numeric' }).format(at),
    whole: formatOf('UTC', { weekday: 'long', day: 'numeric', month: 'long' }).format(at),
  }
}

/**
 * `November 2026`, `Nov – Dec 2026`.
 *
 * @param {string} first
 * @param {string} last
 */
export function monthText(first, last) {
  const from = new Date(`${first}T12:00:00Z`)
  const to = new Date(`${last}T12:00:00Z`)
  if (first.slice(0, 7) === last.slice(0, 7)) return formatOf('UTC', { month: 'long', year: 'numeric' }).format(from)
  const year = first.slice(0, 4) === last.slice(0, 4) ? {} : /** @type {const} */ ({ year: 'numeric' })
  const month = formatOf('UTC', { month: 'short', ...year }).format(from)
  return `${month} – ${formatOf('UTC', { month: 'short', year: 'numeric' }).format(to)}`
}

/**
 * Why an appointment could not be changed, with the appointment that is in the way.
 *
 * @param {import('../../page_types/fault.ts').Fault & { details?: any }} fault
 * @param {string} zone
 */
export function refusalText({ code, message, details }, zone) {
  if (code === 'APPOINTMENT_SLOT_TAKEN') {
    const { number, starts_at, ends_at } = details ?? {}
    return number === undefined
      ? 'The assignee has another appointment at this time, in another project.'
      : `The assignee has appointment ${number} from ${timeText(starts_at, zone)} to ${timeText(ends_at, zone)}.`
  }
  if (code === 'APPOINTMENT_NOT_OPEN' || code === 'APPOINTMENT_NOT_PENDING') {
    const status = /** @type {AppointmentStatus | undefined} */ (details?.status)
    return `It is ${(status && STATUS_WORDS[status]?.text.toLowerCase()) ?? 'over'} already.`
  }
  if (code === 'LOCAL_TIME_MISSING') return 'Clocks are put forward and skip this time. Choose another one.'
  if (code === 'LOCAL_TIME_AMBIGUOUS') return 'Clocks are put back and show this time twice. Which one is meant?'
  return message
}

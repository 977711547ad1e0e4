/** The places of appointments: `appointments/{view}/{day}?assigned_to=&zone=&cancelled=&open=`. No DOM. */
import { addressOf } from '../app/places.js'
import { isDay, isZone, own_zone } from './zone.js'

/** @typedef {'week' | 'day' | 'pending'} View */
/**
 * `day` is undefined for today. `open` is the appointment whose details are shown.
 *
 * @typedef {{
 *   view: View
 *   day: string | undefined
 *   assigned_to: string | undefined
 *   zone: string
 *   cancelled: boolean
 *   open: string | undefined
 * }} AppointmentsPlace
 */

/** @type {readonly View[]} */
const VIEWS = ['week', 'day', 'pending']

/**
 * Undefined when the address is wrong.
 *
 * @param {import('../../page_types/place.ts').Place} place
 * @returns {AppointmentsPlace | undefined}
 */
export function appointmentsPlaceOf({ path: [view = 'week', day, ...more], query }) {
  const known = VIEWS.find((one) => one === view)
  if (!known || more.length > 0 || (day !== undefined && !isDay(day))) return undefined
  const { assigned_to, zone = own_zone, cancelled, open } = query
  return {
    view: known,
    day,
    assigned_to: assigned_to || undefined,
    zone: isZone(zone) ? zone : own_zone,
    cancelled: cancelled === '1',
    open: open || undefined,
  }
}

/**
 * @param {string} project_id
 * @param {Partial<AppointmentsPlace>} place
 */
export function appointmentsPlace(project_id, { view = 'week', day, assigned_to, zone, cancelled, open }) {
  return addressOf(project_id, 'appointments', [view, day], {
    assigned_to,
    zone: zone === own_zone ? undefined : zone,
    cancelled: cancelled ? '1' : undefined,
    open,
  })
}

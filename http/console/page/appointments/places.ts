/** The places of appointments: `appointments/{view}/{day}?assigned_to=&zone=&cancelled=&open=`. No DOM. */
import type { Place } from '../data/place.ts'
import { addressOf } from '../data/places.ts'
import { isDay, isZone, own_zone } from './zone.ts'

export type View = 'week' | 'day' | 'pending'
/** `day` is undefined for today. `open` is the appointment whose details are shown. */
export type AppointmentsPlace = {
  view: View
  day: string | undefined
  assigned_to: string | undefined
  zone: string
  cancelled: boolean
  open: string | undefined
}

const VIEWS: readonly View[] = ['week', 'day', 'pending']

/** Undefined when the address is wrong. */
export function appointmentsPlaceOf({
  path: [view = 'week', day, ...more],
  query,
}: Place): AppointmentsPlace | undefined {
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

export function appointmentsPlace(
  project_id: string,
  { view = 'week', day, assigned_to, zone, cancelled, open }: Partial<AppointmentsPlace>,
) {
  return addressOf(project_id, 'appointments', [view, day], {
    assigned_to,
    zone: zone === own_zone ? undefined : zone,
    cancelled: cancelled ? '1' : undefined,
    open,
  })
}

/** The measure of the calendar. No DOM. */

/** Height of an hour in pixels, as in the style. */
export const HOUR = 52
/** Appointments are moved in these steps, in minutes. */
export const STEP = 15
export const DAY = 1440
export const MINUTE_MS = 60_000
/** The shortest appointment that can be made by dragging. */
export const MIN = 15

export function snapped(minutes: number) {
  return Math.round(minutes / STEP) * STEP
}

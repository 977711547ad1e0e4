/** Moments to send or to come back at: those that agents choose most, and one of their own. No DOM, no state. */

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MORNING = 9
const AFTERNOON = 14
const EVENING = 18

type Moment = { text: string; at: Date }

/** Presets, the next one first, in the time zone of the browser. */
export function momentsAfter(now: Date): Moment[] {
  const tomorrow = onDay(now, 1, MORNING)
  const to_monday = (8 - now.getDay()) % 7 || 7
  const evening = onDay(now, 0, EVENING)
  return [
    { text: 'In an hour', at: new Date(now.getTime() + HOUR_MS) },
    { text: 'In three hours', at: new Date(now.getTime() + 3 * HOUR_MS) },
    ...(evening.getTime() - now.getTime() > 4 * HOUR_MS ? [{ text: 'This evening', at: evening }] : []),
    { text: 'Tomorrow morning', at: tomorrow },
    { text: 'Tomorrow afternoon', at: onDay(now, 1, AFTERNOON) },
    // On Sunday, Monday is tomorrow; on Monday, it is in a week.
    ...(to_monday > 1 && to_monday < 7 ? [{ text: 'Monday morning', at: onDay(now, to_monday, MORNING) }] : []),
    { text: 'In a week', at: onDay(now, 7, MORNING) },
  ]
}

/** Why a moment cannot be chosen; undefined when it can. */
export function problemOfMoment(at: Date, now: Date) {
  if (Number.isNaN(at.getTime())) return 'Choose a day and a time.'
  if (at <= now) return 'Choose a moment in the future.'
  return at.getTime() - now.getTime() > 365 * DAY_MS ? 'Choose a moment within a year.' : undefined
}

/** The value of a field for a local date and time. */
export function localValue(at: Date) {
  const two = (number: number) => String(number).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** `Today, 15:00`, `Tomorrow, 09:00`, `Mon 30 Nov, 09:00`. */
export function momentText(at: Date, now: Date = new Date()) {
  const time = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  if (at.toDateString() === now.toDateString()) return `Today, ${time}`
  if (at.toDateString() === onDay(now, 1, 0).toDateString()) return `Tomorrow, ${time}`
  const is_this_year = at.getFullYear() === now.getFullYear()
  const day = at.toLocaleDateString('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(!is_this_year && { year: 'numeric' }),
  })
  return `${day}, ${time}`
}

function onDay(now: Date, days: number, hour: number) {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour)
}

/** Local days and times of a time zone, and the moments that they are. No DOM. */

/** A day as `2026-11-25`. */
type Day = string

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** The zone of the browser. */
export const own_zone = Intl.DateTimeFormat().resolvedOptions().timeZone

export function isZone(zone: string) {
  try {
    formatOf(zone)
    return true
  } catch {
    return false
  }
}

/** The local day of a moment, and the minutes since its midnight as clocks show them. */
export function localOf(ms: number, zone: string): { day: Day; minutes: number } {
  const parts: Record<string, string> = {}
  for (const { type, value } of formatOf(zone).formatToParts(ms)) parts[type] = value
  const { year = '', month, day, hour, minute } = parts
  return { day: `${year.padStart(4, '0')}-${month}-${day}`, minutes: Number(hour) * 60 + Number(minute) }
}

/**
 * The moment at which clocks show this. Of a time that they show twice it is the first; of one that they skip, the same
 * time after the gap.
 *
 * @param minutes since midnight; more than a day leads to the next ones
 */
export function momentOf(day: Day, minutes: number, zone: string) {
  const local = Date.parse(`${day}T00:00:00Z`) + minutes * MINUTE_MS
  const before = local - offsetAt(local - DAY_MS, zone)
  const after = local - offsetAt(local + DAY_MS, zone)
  // Where both offsets lead to the same clock time, the earlier moment is the first.
  const fitting = [before, after].filter((ms) => ms + offsetAt(ms, zone) === local)
  return fitting.length > 0 ? Math.min(...fitting) : Math.max(before, after)
}

function offsetAt(ms: number, zone: string) {
  const { day, minutes } = localOf(ms, zone)
  return Date.parse(`${day}T00:00:00Z`) + minutes * MINUTE_MS - Math.floor(ms / MINUTE_MS) * MINUTE_MS
}

export function addDays(day: Day, count: number): Day {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10)
}

/** The days of the week of a day, from Monday. */
export function weekOf(day: Day): Day[] {
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7
  return Array.from({ length: 7 }, (_, index) => addDays(day, index - weekday))
}

export function isDay(text: string): text is Day {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))
}

/** `Berlin, GMT+1`. */
export function zoneText(zone: string, ms: number) {
  const city = zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'shortOffset' }).formatToParts(ms)
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value
  return offset && city !== 'UTC' ? `${city}, ${offset}` : city
}

function formatOf(zone: string) {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    })
    formats.set(zone, format)
  }
  return format
}

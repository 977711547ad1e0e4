/** Local days and times of a time zone, and the moments that they are. No DOM. */

/** A day as `2026-11-25`. @typedef {string} Day */

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map()

/** The zone of the browser. */
export const own_zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** @param {string} zone */
export function isZone(zone) {
  try {
    formatOf(zone)
    return true
  } catch {
    return false
  }
}

/**
 * The local day of a moment, and the minutes since its midnight as clocks show them.
 *
 * @param {number} ms
 * @param {string} zone
 * @returns {{ day: Day, minutes: number }}
 */
export function localOf(ms, zone) {
  /** @type {Record<string, string>} */
  const parts = {}
  for (const { type, value } of formatOf(zone).formatToParts(ms)) parts[type] = value
  const { year = '', month, day, hour, minute } = parts
  return { day: `${year.padStart(4, '0')}-${month}-${day}`, minutes: Number(hour) * 60 + Number(minute) }
}

/**
 * The moment at which clocks show this. Of a time that they show twice it is the first; of one that they skip, the same
 * time after the gap.
 *
 * @param {Day} day
 * @param {number} minutes since midnight; more than a day leads to the next ones
 * @param {string} zone
 */
export function momentOf(day, minutes, zone) {
  const wanted = Date.parse(`${day}T00:00:00Z`) + minutes * MINUTE_MS
  const before = wanted - offsetAt(wanted - DAY_MS, zone)
  const after = wanted - offsetAt(wanted + DAY_MS, zone)
  // Where both offsets lead to the same clock time, the earlier moment is the first.
  const fitting = [before, after].filter((ms) => ms + offsetAt(ms, zone) === wanted)
  return fitting.length > 0 ? Math.min(...fitting) : Math.max(before, after)
}

/**
 * @param {number} ms
 * @param {string} zone
 */
function offsetAt(ms, zone) {
  const { day, minutes } = localOf(ms, zone)
  return Date.parse(`${day}T00:00:00Z`) + minutes * MINUTE_MS - Math.floor(ms / MINUTE_MS) * MINUTE_MS
}

/**
 * @param {Day} day
 * @param {number} count
 * @returns {Day}
 */
export function addDays(day, count) {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10)
}

/**
 * The days of the week of a day, from Monday.
 *
 * @param {Day} day
 * @returns {Day[]}
 */
export function weekOf(day) {
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7
  return Array.from({ length: 7 }, (_, index) => addDays(day, index - weekday))
}

/** @param {string} text @returns {text is Day} */
export function isDay(text) {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))
}

/**
 * `Berlin, GMT+1`.
 *
 * @param {string} zone
 * @param {number} ms
 */
export function zoneText(zone, ms) {
  const city = zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'shortOffset' }).formatToParts(ms)
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value
  return offset && city !== 'UTC' ? `${city}, ${offset}` : city
}

/** @param {string} zone */
function formatOf(zone) {
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

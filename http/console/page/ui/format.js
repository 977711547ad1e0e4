/** Numbers and times for people. Month names are English, like all texts. No DOM. */

const language = globalThis.navigator?.language?.startsWith('en') ? navigator.language : 'en-GB'
const whole = new Intl.NumberFormat(language)
const one_digit = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const clock = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' })
const day_of_year = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', year: 'numeric' })
const weekday = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long' })
const exact = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'long' })

/**
 * `12,345`.
 *
 * @param {number} value
 */
export function number(value) {
  return whole.format(value)
}

/**
 * Whole percents; 0 only for none, 100 only for all.
 *
 * @param {number} part
 * @param {number} total
 */
export function percent(part, total) {
  if (total === 0 || part === 0) return '0%'
  const rounded = Math.round((100 * part) / total)
  if (rounded === 0) return '<1%'
  return rounded === 100 && part < total ? '>99%' : `${rounded}%`
}

/**
 * `0.3/s`, `80/s`.
 *
 * @param {number} value
 */
export function perSecond(value) {
  return `${value < 9.95 ? one_digit.format(value) : whole.format(Math.round(value))}/s`
}

/**
 * `14:05`, with the day when it is not today.
 *
 * @param {string} iso
 * @param {Date} now
 */
export function moment(iso, now = new Date()) {
  const date = new Date(iso)
  const time = clock.format(date)
  if (date.toDateString() === now.toDateString()) return time
  const is_this_year = date.getFullYear() === now.getFullYear()
  return `${(is_this_year ? day : day_of_year).format(date)}, ${time}`
}

/**
 * To the second, with the zone.
 *
 * @param {string} iso
 */
export function exactly(iso) {
  return exact.format(new Date(iso))
}

/**
 * `0.4 s`, `41 s`, `3 min 5 s`, `2 h 10 min`.
 *
 * @param {number} ms
 */
export function duration(ms) {
  if (ms > 0 && ms < 950) return `${one_digit.format(ms / 1000)} s`
  const seconds = Math.round(Math.max(0, ms) / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/**
 * The remaining time, rounded more coarsely the longer it is.
 *
 * @param {number} seconds
 */
export function timeLeft(seconds) {
  if (seconds < 5) return '<5 s'
  if (seconds < 55) return `${Math.ceil(seconds / 5) * 5} s`
  if (seconds < 3300) return `${Math.ceil(seconds / 60)} min`
  const minutes = Math.ceil(seconds / 600) * 10
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/**
 * How long ago, in one unit: `now`, `5 min`, `3 h`, `2 d`, then the day.
 *
 * @param {string} iso
 * @param {number} now
 */
export function age(iso, now = Date.now()) {
  const ms = now - Date.parse(iso)
  if (ms < MINUTE_MS) return 'now'
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`
  if (ms < 7 * DAY_MS) return `${Math.floor(ms / DAY_MS)} d`
  return day.format(new Date(iso))
}

/**
 * The time until then, in the largest unit: `23 h`, `45 min`; null when it has passed.
 *
 * @param {string} iso
 * @param {number} now
 */
export function timeUntil(iso, now = Date.now()) {
  const ms = Date.parse(iso) - now
  if (ms <= 0) return null
  if (ms < HOUR_MS) return `${Math.ceil(ms / MINUTE_MS)} min`
  return ms < 2 * DAY_MS ? `${Math.floor(ms / HOUR_MS)} h` : `${Math.floor(ms / DAY_MS)} d`
}

/**
 * `14:05`.
 *
 * @param {string} iso
 */
export function clockTime(iso) {
  return clock.format(new Date(iso))
}

/**
 * `Today`, `Yesterday`, `Friday, 20 November`.
 *
 * @param {string} iso
 * @param {Date} now
 */
export function dayName(iso, now = new Date()) {
  const date = new Date(iso)
  if (date.toDateString() === now.toDateString()) return 'Today'
  if (date.toDateString() === new Date(now.getTime() - DAY_MS).toDateString()) return 'Yesterday'
  return (date.getFullYear() === now.getFullYear() ? weekday : day_of_year).format(date)
}

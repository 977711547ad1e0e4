/** Numbers and times for people. Month names are English, like all texts. No DOM. */

const language = globalThis.navigator?.language?.startsWith('en') ? navigator.language : 'en-GB'
const whole = new Intl.NumberFormat(language)
const one_digit = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const clock = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' })
const day_of_year = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', year: 'numeric' })
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

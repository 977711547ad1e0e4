/** Numbers, times and names for people. Names of months are English, like all texts. No DOM. */

export const language = globalThis.navigator?.language?.startsWith('en') ? navigator.language : 'en-GB'
const whole = numbers()
const clock = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' })
const day_of_year = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', year: 'numeric' })
const weekday = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long' })
const exact = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'long' })

/**
 * Numbers as people write them where the reader is, so that counts agree with the amounts of money beside them. Digits are Latin, as in
 * all texts.
 */
export function numbers(
  options: Intl.NumberFormatOptions = {},
  reader: string | undefined = globalThis.navigator?.language,
) {
  return new Intl.NumberFormat(reader, { numberingSystem: 'latn', ...options })
}

/** `12,345`, or `12.345`. */
export function number(value: number) {
  return whole.format(value)
}

/** `14:05`, with the day when it is not today. */
export function moment(iso: string, now: Date = new Date()) {
  const date = new Date(iso)
  const time = clock.format(date)
  if (date.toDateString() === now.toDateString()) return time
  const is_this_year = date.getFullYear() === now.getFullYear()
  return `${(is_this_year ? day : day_of_year).format(date)}, ${time}`
}

/** To the second, with the zone. */
export function exactly(iso: string) {
  return exact.format(new Date(iso))
}

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** How long ago, in one unit: `now`, `5 min`, `3 h`, `2 d`, then the day. */
export function age(iso: string, now: number = Date.now()) {
  const ms = now - Date.parse(iso)
  if (ms < MINUTE_MS) return 'now'
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`
  if (ms < 7 * DAY_MS) return `${Math.floor(ms / DAY_MS)} d`
  return day.format(new Date(iso))
}

/** The time until then, in the largest unit: `23 h`, `45 min`; null when it has passed. */
export function timeUntil(iso: string, now: number = Date.now()) {
  const ms = Date.parse(iso) - now
  if (ms <= 0) return null
  if (ms < HOUR_MS) return `${Math.ceil(ms / MINUTE_MS)} min`
  return ms < 2 * DAY_MS ? `${Math.floor(ms / HOUR_MS)} h` : `${Math.floor(ms / DAY_MS)} d`
}

/** `14:05`. */
export function clockTime(iso: string) {
  return clock.format(new Date(iso))
}

/** `Today`, `Yesterday`, `Friday, 20 November`. */
export function dayName(iso: string, now: Date = new Date()) {
  const date = new Date(iso)
  if (date.toDateString() === now.toDateString()) return 'Today'
  if (date.toDateString() === new Date(now.getTime() - DAY_MS).toDateString()) return 'Yesterday'
  return (date.getFullYear() === now.getFullYear() ? weekday : day_of_year).format(date)
}

/** A visitor of the web chat has this as its id, and often nothing else. */
const VISITOR = /^visitor-([0-9a-f]{4})[0-9a-f]{28}$/

/** The name of a contact: `Visitor 7cc6` for one who has not said it. */
export function personName({
  name,
  phone,
  user_id = '',
}: {
  name?: string | null
  phone?: string | null
  user_id?: string
}) {
  return name ?? phone ?? user_id.replace(VISITOR, 'Visitor $1')
}

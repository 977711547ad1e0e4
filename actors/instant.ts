const INSTANT =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)$/

const FIRST_MS = 0
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** To follow "must be". */
export const instantExpected =
  'a time from 1970 to 9999 with Z or an offset such as +01:00, on a day that exists: 2026-11-21T10:00:00Z'

/**
 * The moment that an ISO 8601 text names, to the millisecond; undefined for anything else. Days that the calendar does not
 * have are no moments: JavaScript takes the 31st of February for a day in March. The offset of a time zone is 14 hours at
 * most; PostgreSQL takes no more than 15.
 */
export function parseInstant(text: string): Date | undefined {
  const instant = parseMoment(text)
  return instant && instant.getTime() >= FIRST_MS && instant.getTime() <= LAST_MS ? instant : undefined
}

/** Whether it is a day of the calendar, such as 1958-03-02, or a time on one, with its zone; of any year from 0001. */
export function isDateOrTime(text: string): boolean {
  return isDay(text) || parseMoment(text) !== undefined
}

/** Whether the calendar has this day, such as 2028-02-29. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith('0000')) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

function parseMoment(text: string): Date | undefined {
  const [, day] = INSTANT.exec(text) ?? []
  return day !== undefined && isDay(day) ? new Date(text) : undefined
}

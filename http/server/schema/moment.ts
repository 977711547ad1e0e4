/** Parses moments as clients write them, in requests and on the command line. */

const INSTANT =
  /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))$/i

const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** To follow "must be". */
export const instantExpected =
  'a time of a day that exists, from 1970 to 9999, with Z or an offset such as +01:00: 2026-11-21T10:00:00Z'

/**
 * Parses an ISO 8601 text, to the millisecond; undefined for any other. Its letters may be small (RFC 3339, 5.6). JavaScript alone takes the 31st of February for
 * a day in March, and PostgreSQL takes no offset of 16 hours; no time zone has more than 14.
 */
export function parseInstant(text: string): Date | undefined {
  const [, day] = INSTANT.exec(text) ?? []
  if (day === undefined || !isDay(day)) return undefined
  const instant = new Date(text.toUpperCase())
  return instant.getTime() >= 0 && instant.getTime() <= LAST_MS ? instant : undefined
}

const LOCAL = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?$/i
const FIRST_YEAR = '1970'

/** True for the time that clocks show, without a zone, such as 2026-11-21T10:00; for the same years as instants. */
export function isLocalTime(text: string): boolean {
  const [, day] = LOCAL.exec(text) ?? []
  return day !== undefined && isDay(day) && text >= FIRST_YEAR
}

/** True when the calendar has this day, written as in 2028-02-29. */
function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

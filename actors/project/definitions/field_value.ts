import type { FieldType } from '../../../storage/mod.ts'

/** A day, or a time with its zone, which is at most 14 hours from UTC. */
const DATE =
  /^(\d{4}-\d\d-\d\d)(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00)))?$/i

const checks: Record<FieldType, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
  date: (value) => typeof value === 'string' && isDay(DATE.exec(value)?.[1]),
  'string[]': (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
}

/** The valid values in words, to follow "must be". */
export const expected: Record<FieldType, string> = {
  string: 'a string',
  number: 'a finite number',
  boolean: 'true or false',
  date: 'a date such as 2026-09-21 or 2026-09-21T14:13:20Z',
  'string[]': 'a list of strings',
}

/** True for a value that fits a field of this type. `null` means no value and fits any type. */
export function fits(type: FieldType, value: unknown): boolean {
  return value === null || checks[type](value)
}

/**
 * Rejects days that do not exist: `Date.parse` takes the 31st of February for a day in March. No calendar has a year 0.
 */
function isDay(day: string | undefined): boolean {
  if (day === undefined || day.startsWith('0000')) return false
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

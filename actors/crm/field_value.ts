import type { FieldType } from '../../storage/mod.ts'

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/

const checks: Record<FieldType, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  date: (value) =>
    typeof value === 'string' && DATE.test(value) && isDay(value.slice(0, 10)) && !Number.isNaN(Date.parse(value)),
  'string[]': (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
}

/** What a value has to be, to follow "must be". */
export const expected: Record<FieldType, string> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  date: 'a date such as 2026-09-21 or 2026-09-21T14:13:20Z',
  'string[]': 'a list of strings',
}

/** Whether a value fits a field of this type. `null` says that there is none, and fits any. */
export function fits(type: FieldType, value: unknown): boolean {
  return value === null || checks[type](value)
}

/** `Date.parse` takes the 31st of February for a day in March. */
function isDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

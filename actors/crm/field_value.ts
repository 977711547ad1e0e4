import type { FieldType } from '../../storage/mod.ts'
import { isDateOrTime } from '../instant.ts'

const checks: Record<FieldType, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
  date: (value) => typeof value === 'string' && isDateOrTime(value),
  'string[]': (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
}

/** What a value has to be, to follow "must be". */
export const expected: Record<FieldType, string> = {
  string: 'a string',
  number: 'a finite number',
  boolean: 'true or false',
  date: 'a date such as 2026-09-21 or 2026-09-21T14:13:20Z',
  'string[]': 'a list of strings',
}

/** Whether a value fits a field of this type. `null` says that there is none, and fits any. */
export function fits(type: FieldType, value: unknown): boolean {
  return value === null || checks[type](value)
}

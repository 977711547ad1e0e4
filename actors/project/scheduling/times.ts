/** The times of an appointment, from those that a client gave and those that it had. */
import type { Refusal } from '../../../runtime/mod.ts'
import type { Appointment } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import { type ClientTime, resolveLocal } from './local_time.ts'

export type Times = Pick<Appointment, 'starts_at' | 'ends_at' | 'timezone'>

/** Missing ones stay as they are. */
export type TimesInput = {
  starts_at?: ClientTime | undefined
  ends_at?: ClientTime | undefined
  timezone?: string | undefined
}

/** The end of the last year that the API and PostgreSQL read. */
const END_MS = Date.UTC(10_000, 0)

/**
 * The times after a change. A start without an end moves the appointment, which then takes as long as before.
 * `before`: undefined for a new appointment, whose times are all given.
 * @throws {Refusal} LOCAL_TIME_MISSING, LOCAL_TIME_AMBIGUOUS, VALIDATION_ERROR
 */
export function timesAfter(before: Times | undefined, input: TimesInput): Times {
  const timezone = input.timezone ?? before!.timezone
  const starts_at = input.starts_at ? instantOf('starts_at', input.starts_at, timezone) : before!.starts_at
  const ends_at = input.ends_at
    ? instantOf('ends_at', input.ends_at, timezone)
    : new Date(starts_at.getTime() + before!.ends_at.getTime() - before!.starts_at.getTime())
  if (starts_at >= ends_at) throw invalidEnd('must be after starts_at')
  // A local time may be later in UTC, and an appointment that moves takes its duration with it.
  if (ends_at.getTime() >= END_MS) throw invalidEnd('must be before the year 10000 in UTC')
  return { starts_at, ends_at, timezone }
}

function invalidEnd(message: string): Refusal {
  const violations = [{ path: 'ends_at', message, code: 'invalid_value' }]
  return refuse('VALIDATION_ERROR', { violations }, `ends_at ${message}`)
}

function instantOf(field: string, time: ClientTime, timezone: string): Date {
  if ('instant' in time) return new Date(time.instant)
  const { local } = time
  const resolved = resolveLocal(local, timezone)
  if (resolved.kind === 'instant') return resolved.instant
  if (resolved.kind === 'missing') {
    const { nearest } = resolved
    const message = `${field}: clocks in ${timezone} skip ${local}; send another time, such as ${nearest.join(' or ')}.`
    throw refuse('LOCAL_TIME_MISSING', { field, timezone, nearest }, message)
  }
  const { choices } = resolved
  const message = `${field}: clocks in ${timezone} show ${local} twice; send ${choices[0]} for the first time or ${choices[1]} for the second.`
  throw refuse('LOCAL_TIME_AMBIGUOUS', { field, timezone, choices }, message)
}

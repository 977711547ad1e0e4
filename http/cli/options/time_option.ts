import { InvalidArgumentError } from 'commander'
import { parseInstant } from '../../server/schema/moment.ts'
import { CommandFailure } from '../terminal/failure.ts'

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds of `30m`, `12h`, `90d`, or undefined for anything else. */
export function parseSpan(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  return count ? Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS] : undefined
}

/** A time with its zone, or a day (in UTC). The same times as the API accepts. */
function momentOf(text: string): Date | undefined {
  return parseInstant(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)
}

/** A time with its zone, a day (in UTC), or a span before now; as ISO 8601. */
export function parseMoment(text: string): string {
  const ago_ms = parseSpan(text)
  const time = ago_ms === undefined ? momentOf(text) : momentOf(new Date(Date.now() - ago_ms).toISOString())
  if (time) return time.toISOString()
  throw new InvalidArgumentError('Use 30m, 2h or 3d for how long ago, 2026-11-21, or 2026-11-21T09:00:00Z.')
}

/** An expiry: after a span, or at a moment in the future; null for `never`. */
export function parseExpiry(text: string): Date | null {
  if (text === 'never') return null
  const span_ms = parseSpan(text)
  const when = span_ms === undefined ? momentOf(text) : new Date(Date.now() + span_ms)
  if (!when) throw new InvalidArgumentError('Use 30m, 12h, 90d, 2030-01-31, 2030-01-31T12:00:00Z or never.')
  if (when.getTime() <= Date.now()) throw new InvalidArgumentError('It must be in the future.')
  return when
}

/** @throws {CommandFailure} when `until` is not after `since` */
export function mustBeInOrder({ since, until }: { since?: string; until?: string }): void {
  if (since && until && until <= since) throw new CommandFailure('--until must be later than --since.', 2)
}

/** The time since a moment in its largest unit: `5m`, `12h`, `90d`. */
export function spanSince(iso: string): string {
  const ms = Math.max(Date.now() - Date.parse(iso), 0)
  const unit = ms < UNITS_MS.h ? 'm' : ms < UNITS_MS.d ? 'h' : 'd'
  return `${Math.floor(ms / UNITS_MS[unit])}${unit}`
}

/** `2026-11-21 09:00:00`, in UTC. */
export function shortTime(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ')
}

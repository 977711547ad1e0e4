import { InvalidArgumentError } from 'commander'

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds of `30m`, `12h`, `90d`, or undefined for anything else. */
export function parseSpan(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  return count ? Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS] : undefined
}

/** A time with its zone, a day (in UTC), or how long ago; as ISO 8601. */
export function parseMoment(text: string): string {
  const ago_ms = parseSpan(text)
  const is_time = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text)
  const time = new Date(ago_ms !== undefined ? Date.now() - ago_ms : is_time ? text : Number.NaN)
  if (!Number.isNaN(time.getTime())) return time.toISOString()
  throw new InvalidArgumentError('Use 30m, 2h or 3d for how long ago, 2026-11-21, or 2026-11-21T09:00:00Z.')
}

/** `2026-11-21 09:00:00`, in UTC. */
export function shortTime(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ')
}

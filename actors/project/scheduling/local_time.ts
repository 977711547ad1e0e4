/**
 * Local times in the zones of the IANA database. Clocks are put forward, so some local times never come; and back, so
 * others come twice. Neither is guessed.
 */
import { Temporal } from 'temporal-polyfill'

/** A moment, or the time that clocks show, such as 2026-11-21T10:00. */
export type ClientTime = { instant: string } | { local: string }

export type Resolved =
  | { kind: 'instant'; instant: Date }
  /** `nearest`: the local time by the offset before the change and by the one after it. */
  | { kind: 'missing'; nearest: [string, string] }
  /** `choices`: the same local time with either offset, the first one first. */
  | { kind: 'ambiguous'; choices: [string, string] }

/** A name of the IANA database. The library would also take an offset, which knows no changes of clocks. */
const ZONE = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/
const MAX_ZONE_LENGTH = 64

/** The zone's name in its usual spelling, whatever the case; undefined for an unknown one. */
export function timeZoneOf(text: string): string | undefined {
  if (text.length > MAX_ZONE_LENGTH || !ZONE.test(text)) return undefined
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text).timeZoneId
  } catch {
    return undefined
  }
}

/** The moment at which clocks in the zone show this time. `timezone`: as `timeZoneOf` gives it. */
export function resolveLocal(local: string, timezone: string): Resolved {
  const wall = Temporal.PlainDateTime.from(local)
  const earlier = wall.toZonedDateTime(timezone, { disambiguation: 'earlier' })
  const later = wall.toZonedDateTime(timezone, { disambiguation: 'later' })
  if (earlier.epochMilliseconds === later.epochMilliseconds) {
    return { kind: 'instant', instant: new Date(earlier.epochMilliseconds) }
  }
  const both: [string, string] = [textOf(earlier), textOf(later)]
  return earlier.toPlainDateTime().equals(wall)
    ? { kind: 'ambiguous', choices: both }
    : { kind: 'missing', nearest: both }
}

/** Such as 2026-10-25T02:30:00+02:00. */
function textOf(time: Temporal.ZonedDateTime): string {
  return time.toString({ timeZoneName: 'never' })
}

/** The moment as clocks in the zone show it, with its offset. */
export function zonedText(instant: Date, timezone: string): string {
  return textOf(Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timezone))
}

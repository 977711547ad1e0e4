/** The state of office hours at a moment. The clocks of the zone decide, also on days on which they are set. */
import { Temporal } from 'temporal-polyfill'
import { type OfficeHours, weekdays } from '../../storage/mod.ts'

/** `changes_at`: when `is_open` changes next; null where that is too far ahead to be looked for. */
export type Opening = { is_open: boolean; changes_at: Date | null }

const DAY_MS = 86_400_000
/** Days that are searched for the next open time. */
const MAX_CLOSED_DAYS = 366
/** Days that are searched for the end of open times that follow each other without a break. */
const MAX_OPEN_DAYS = 14

/** Without hours it is always open. */
export function openingAt(hours: OfficeHours | null | undefined, at: Date): Opening {
  if (!hours) return { is_open: true, changes_at: null }
  const now = at.getTime()
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(hours.timezone).toPlainDate()
  let open_until: number | undefined
  for (let day = 0; day <= MAX_CLOSED_DAYS; day++) {
    for (const { from, to } of spansOf(hours, today.add({ days: day }))) {
      if (open_until === undefined && now < from) return { is_open: false, changes_at: new Date(from) }
      if (open_until !== undefined && from > open_until) return { is_open: true, changes_at: new Date(open_until) }
      if (now < to) open_until = to
    }
    if (open_until !== undefined && open_until > now + MAX_OPEN_DAYS * DAY_MS)
      return { is_open: true, changes_at: null }
  }
  return { is_open: open_until !== undefined, changes_at: open_until === undefined ? null : new Date(open_until) }
}

/** The open times between two moments, in milliseconds. Those that began before are there as a whole. */
export function openTimes(hours: OfficeHours, from: Date, until: Date): { from: number; to: number }[] {
  let date = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO(hours.timezone).toPlainDate()
  const times: { from: number; to: number }[] = []
  for (let day = 0; day <= MAX_CLOSED_DAYS; day++, date = date.add({ days: 1 })) {
    if (momentOf(hours, date, '00:00') >= until.getTime()) break
    times.push(...spansOf(hours, date).filter(({ to }) => to > from.getTime()))
  }
  return times.filter((time) => time.from < until.getTime())
}

/** The beginning of the day in the zone of the hours, or in UTC without any. */
export function beginOfDay(hours: OfficeHours | null | undefined, at: Date): Date {
  const now = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(hours?.timezone ?? 'UTC')
  return new Date(now.startOfDay().epochMilliseconds)
}

/** The open times of a local date, in milliseconds. A time that clocks leave out is that at the end of the gap. */
function spansOf(hours: OfficeHours, date: Temporal.PlainDate): { from: number; to: number }[] {
  if (hours.closed_on.includes(date.toString())) return []
  const times = hours.weekly[weekdays[date.dayOfWeek - 1]!] ?? []
  return times
    .map(({ from, to }) => ({ from: momentOf(hours, date, from), to: momentOf(hours, date, to) }))
    .filter(({ from, to }) => from < to)
}

function momentOf({ timezone: timeZone }: OfficeHours, date: Temporal.PlainDate, time: string): number {
  if (time === '24:00') return date.add({ days: 1 }).toZonedDateTime({ timeZone }).epochMilliseconds
  return date.toZonedDateTime({ timeZone, plainTime: time }).epochMilliseconds
}

/** Spells office hours: `mon-fri=09:00-13:00,15:00-18:00`. */

import { type Command, InvalidArgumentError } from 'commander'
import type { OfficeHours, Project } from '../records/generated.ts'
import { gather, type Json, type Options } from '../records/resource.ts'
import { CommandFailure } from '../terminal/failure.ts'

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
type Day = (typeof DAYS)[number]
const SHORT = DAYS.map((day) => day.slice(0, 3))

type Line = { days: Day[]; times: { from: string; to: string }[] }

function parseHours(text: string): Line {
  const [, first = '', last = first, times = ''] = /^([a-z]{3})(?:-([a-z]{3}))?=(\S+)$/.exec(text) ?? []
  const [from, to] = [SHORT.indexOf(first), SHORT.indexOf(last)]
  const spans = times.split(',').map((span) => /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(span))
  if (from < 0 || to < from || spans.includes(null)) {
    throw new InvalidArgumentError('It must be days and times, such as "mon-fri=09:00-13:00,15:00-18:00".')
  }
  return { days: DAYS.slice(from, to + 1), times: spans.map((span) => ({ from: span![1]!, to: span![2]! })) }
}

export type HoursOptions = Options & {
  hours?: Line[]
  timezone?: string
  closedOn?: string[]
  alwaysOpen?: boolean
}

/** The options of commands that set the office hours. */
export function withOfficeHours(command: Command): Command {
  return command
    .option('--hours <days=times>', 'when people answer: mon-fri=09:00-18:00 (repeatable)', gather(parseHours))
    .option('--timezone <zone>', 'the zone of the hours, such as America/Mexico_City')
    .option('--closed-on <date>', 'a day without hours, such as 2026-12-25 (repeatable), or none', gather(String))
    .option('--always-open', 'people answer at all times')
}

/**
 * Parts that are not given are those of the present hours.
 *
 * @param present reads the project that is changed
 * @throws {CommandFailure} for options that do not go together
 */
export async function officeHoursOf(
  { hours, timezone, closedOn, alwaysOpen }: HoursOptions,
  present?: () => Promise<Project>,
): Promise<Json> {
  if (alwaysOpen && (hours || timezone || closedOn)) throw new CommandFailure('--always-open has no hours.', 2)
  if (alwaysOpen) return { office_hours: null }
  if (!hours && !timezone && !closedOn) return {}
  if (closedOn?.includes('none') && closedOn.length > 1) throw new CommandFailure('--closed-on is none, or days.', 2)
  const before = hours && timezone && closedOn ? null : ((await present?.())?.office_hours ?? null)
  const weekly = hours ? weeklyOf(hours) : before?.weekly
  const zone = timezone ?? before?.timezone
  if (!weekly || !zone) throw new CommandFailure('Office hours need --hours and --timezone.', 2)
  const closed_on = closedOn?.filter((day) => day !== 'none') ?? before?.closed_on ?? []
  return { office_hours: { timezone: zone, weekly, closed_on } }
}

function weeklyOf(lines: Line[]): OfficeHours['weekly'] {
  const weekly: OfficeHours['weekly'] = {}
  for (const { days, times } of lines) for (const day of days) weekly[day] = [...(weekly[day] ?? []), ...times]
  return weekly
}

/** A line for each day that is open, in the order of the week. */
export function spellOfficeHours(office_hours: OfficeHours | null): [string, string][] {
  if (office_hours === null) return [['office hours', 'always']]
  const { timezone, weekly, closed_on } = office_hours
  const days = DAYS.flatMap((day) => {
    const times = (weekly[day] ?? []).map(({ from, to }) => `${from}–${to}`).join(', ')
    return times === '' ? [] : [`${day.slice(0, 3)} ${times}`]
  })
  const lines = [`in ${timezone}`, ...days, ...(closed_on.length > 0 ? [`not on ${closed_on.join(', ')}`] : [])]
  return lines.map((line, at) => [at === 0 ? 'office hours' : '', line])
}

/** Free times of the people who take appointments, and the appointments of the person. */
import { Temporal } from 'temporal-polyfill'
import { listAppointments, newDate, overlap, readHeldSlots, type Slot } from '../../../../storage/mod.ts'
import { openTimes } from '../../../office_hours/mod.ts'
import { type BuiltIn, type BuiltInOffer, object } from '../built_in.ts'
import { found, wrong } from '../result.ts'
import type { ToolContext } from '../tool.ts'
import { endOf, NOTHING_CHANGES } from './command_end.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Appointments begin at the earliest after this time. */
const NOTICE_MS = 60 * MINUTE_MS
const MAX_DAYS_AHEAD = 60
const MAX_DAYS = 14
const MOST = 40
/** Appointments to come of one person. */
const MAX_OF_PERSON = 3
const DURATIONS = [15, 20, 30, 45, 60, 90, 120]

const minutes = { enum: DURATIONS, description: 'Length in minutes; 30 where the person names none' }
const isOffered = ({ facts }: BuiltInOffer) => facts.office_hours !== null && facts.bookable.length > 0

export const listFreeAppointmentsTool: BuiltIn = {
  name: 'parley_list_free_appointments',
  description: 'Lists free times for an appointment within the office hours. Offer the person some of them.',
  isOffered,
  parameters: () =>
    object({
      from: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'First day; today if left out' },
      days: { type: 'integer', minimum: 1, maximum: MAX_DAYS, description: 'Number of days; 7 if left out' },
      minutes,
    }),
  async run(
    { from, days = 7, minutes: length = 30 }: { from?: string; days?: number; minutes?: number },
    context,
    offer,
  ) {
    const { timezone } = offer.facts.office_hours!
    const first = from === undefined ? newDate() : startOf(from, timezone)
    if (!first) return wrong('invalid_arguments', 'from is no day of the calendar')
    const until = new Date(first.getTime() + days * DAY_MS)
    const free = await freeTimes(context, offer, first, until, length)
    const times = free.slice(0, MOST).map(({ starts_at, assigned_to }) => ({
      starts_at: zonedText(starts_at, timezone),
      with_id: assigned_to,
      with: offer.facts.bookable.find(({ _id }) => _id === assigned_to)!.full_name,
    }))
    const note = times.length === 0 ? { note: 'Nothing is free then. Try other days.' } : {}
    return found({ timezone, minutes: length, times, ...(free.length > MOST && { is_cut: true }), ...note })
  },
}

export const bookAppointmentTool: BuiltIn = {
  name: 'parley_book_appointment',
  changes: true,
  description:
    'Books an appointment for the person of this conversation at one of the free times. Book only what the person has agreed to. It is pending until the business confirms it.',
  isOffered: (offer) => isOffered(offer) && offer.has_ticket,
  parameters: ({ facts }) =>
    object(
      {
        starts_at: { type: 'string', maxLength: 40, description: 'As the list of free times has it' },
        with_id: { enum: facts.bookable.map(({ _id }) => _id) },
        minutes,
        modality: { enum: ['online', 'in-person'] },
      },
      ['starts_at', 'with_id'],
    ),
  async run({ starts_at, with_id, minutes: length = 30, modality }: Booking, context, offer) {
    const { person, askProject, database, project_id } = context
    const chat_user = person.contact.id
    if (!askProject || chat_user === null) return wrong('nothing_changes', NOTHING_CHANGES)
    const { timezone } = offer.facts.office_hours!
    const begin = momentOf(starts_at)
    if (!begin)
      return wrong('invalid_arguments', 'starts_at must be a time with its offset, as in the list of free times')
    const window = { limit: MAX_OF_PERSON + 1, offset: 0, order: 'asc' } as const
    const to_come = { project_id, chat_user, since: newDate() }
    const { data } = await listAppointments(database, to_come, { ...window, cursor: undefined })
    const open = data.filter(
      ({ appointment }) => appointment.status === 'pending' || appointment.status === 'confirmed',
    )
    if (open.length >= MAX_OF_PERSON) {
      return wrong(
        'too_many_appointments',
        `The person has ${open.length} appointments to come. Hand over if another is needed.`,
      )
    }
    const end = new Date(begin.getTime() + length * MINUTE_MS)
    const free = await freeTimes(context, offer, begin, end, length)
    if (!free.some((slot) => slot.assigned_to === with_id && slot.starts_at.getTime() === begin.getTime())) {
      return wrong('not_free', 'This time is not free. List the free times again.')
    }
    const ended = await askProject({
      type: 'create_appointment',
      fields: {
        chat_user,
        customer_id: person.customer_id,
        starts_at: { instant: begin.toISOString() },
        ends_at: { instant: end.toISOString() },
        timezone,
        ...(modality && { modality }),
        assigned_to: with_id,
        status: 'pending',
      },
    })
    return endOf(ended, () => found({ is_booked: true, status: 'pending', starts_at: zonedText(begin, timezone) }))
  },
}

type Booking = { starts_at: string; with_id: string; minutes?: number; modality?: 'online' | 'in-person' }

export const readAppointmentsTool: BuiltIn = {
  name: 'parley_read_appointments',
  description: 'Reads the appointments of the person of this conversation, those to come first.',
  isOffered,
  parameters: () => object({}),
  async run(_: object, { database, project_id, person }) {
    const chat_user = person.contact.id
    if (chat_user === null) return found({ appointments: [] })
    const window = { limit: 20, offset: 0, cursor: undefined, order: 'desc' } as const
    const { data } = await listAppointments(database, { project_id, chat_user }, window)
    const appointments = data.map(({ appointment, assignee }) => ({
      number: appointment.number,
      status: appointment.status,
      starts_at: zonedText(appointment.starts_at, appointment.timezone),
      ends_at: zonedText(appointment.ends_at, appointment.timezone),
      modality: appointment.modality,
      ...(assignee && { with: assignee.full_name }),
      ...(appointment.location !== null && { location: appointment.location }),
      ...(appointment.meeting_url !== null && { meeting_url: appointment.meeting_url }),
    }))
    return found({ appointments })
  },
}

/** Slots that nobody holds, the earliest first. Each begins a multiple of its length after the office opens. */
async function freeTimes(
  { database }: ToolContext,
  { facts }: BuiltInOffer,
  from: Date,
  until: Date,
  length: number,
): Promise<Slot[]> {
  const now = newDate().getTime()
  const last = Math.min(until.getTime(), now + MAX_DAYS_AHEAD * DAY_MS)
  if (last <= from.getTime()) return []
  const slots = openTimes(facts.office_hours!, from, new Date(last)).flatMap((open) => {
    const starts: number[] = []
    for (let at = open.from; at + length * MINUTE_MS <= open.to && at < last; at += length * MINUTE_MS) {
      if (at >= from.getTime() && at >= now + NOTICE_MS) starts.push(at)
    }
    return starts
  })
  const range = { starts_at: from, ends_at: new Date(last + 120 * MINUTE_MS) }
  const held = await readHeldSlots(
    database,
    facts.bookable.map(({ _id }) => ({ assigned_to: _id, ...range })),
  )
  return slots.flatMap((at) =>
    facts.bookable
      .map(({ _id }) => ({ assigned_to: _id, starts_at: new Date(at), ends_at: new Date(at + length * MINUTE_MS) }))
      .filter((slot) => !held.some((one) => overlap(one, slot))),
  )
}

function startOf(day: string, timezone: string): Date | undefined {
  try {
    return new Date(Temporal.PlainDate.from(day).toZonedDateTime(timezone).epochMilliseconds)
  } catch {
    return undefined
  }
}

function momentOf(text: string): Date | undefined {
  try {
    return new Date(Temporal.Instant.from(text).epochMilliseconds)
  } catch {
    return undefined
  }
}

function zonedText(instant: Date, timezone: string): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timezone)
  return zoned.toString({ timeZoneName: 'never', fractionalSecondDigits: 0 })
}

/** The section of appointments: a week or a day, and those that wait for a confirmation. */

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Console } from '../core/console.ts'
import type { PageProps } from '../core/section_page.ts'
import { useActions } from '../ui/actions.ts'
import { useClock } from '../ui/hooks.ts'
import { useMedia } from '../ui/media.ts'
import { Empty } from '../ui/placeholders/empty.tsx'
import { Calendar } from './calendar.ts'
import { CalendarPage } from './calendar_page.tsx'
import { Details } from './details.tsx'
import { AppointmentForm } from './form.tsx'
import { Head } from './head.tsx'
import { PendingPage } from './pending_page.tsx'
import { type AppointmentsPlace, appointmentsPlace, appointmentsPlaceOf } from './places.ts'
import type { FormSubject, Shared } from './shared.ts'
import { addDays, localOf, momentOf, weekOf } from './zone.ts'

const NARROW = '(max-width: 860px)'
const MINUTE_MS = 60_000

function View({ console: core, project, place: address }: PageProps) {
  const calendar = project.part('appointments', () => new Calendar(project.api))
  const place = appointmentsPlaceOf(address)
  if (!place) {
    return (
      <Empty level={1} title="There is nothing here" text="The address is wrong.">
        <a class="button" href={appointmentsPlace(project.id, {})}>
          Go to the appointments
        </a>
      </Empty>
    )
  }
  return <Section core={core} project={project} calendar={calendar} place={place} />
}

function Section({
  core,
  project,
  calendar,
  place,
}: { core: Console; place: AppointmentsPlace } & Pick<Shared, 'project' | 'calendar'>) {
  const now = useClock(true, MINUTE_MS / 2)
  const is_narrow = useMedia(NARROW)
  const today = localOf(now, place.zone).day
  const day = place.day ?? today
  const { assigned_to, zone, view, open } = place
  // A week has no room on a phone.
  const days = view === 'day' || is_narrow ? [day] : weekOf(day)
  const from = momentOf(days[0] ?? day, 0, zone)
  const before = momentOf(addDays(days.at(-1) ?? day, 1), 0, zone)
  const [form, edit] = useState<FormSubject | null>(null)
  useMemo(() => void calendar.show({ from, before, assigned_to }), [calendar, from, before, assigned_to])
  useEffect(() => project.define(), [project])
  const waiting = calendar.waiting.value?.length ?? 0
  useEffect(() => {
    core.title.value = waiting > 0 ? `(${waiting}) Appointments` : 'Appointments'
  }, [core, waiting])

  const go = (change: Partial<AppointmentsPlace>) => {
    location.hash = appointmentsPlace(project.id, { ...place, open: undefined, ...change })
  }
  const make = () => {
    const { minutes } = localOf(now, zone)
    const next = days.includes(today)
      ? { day: today, minutes: Math.min(1380, Math.ceil((minutes + 1) / 30) * 30) }
      : { day, minutes: 540 }
    edit({ ...next, length: 30 })
  }
  const step = days.length === 1 ? 1 : 7
  useActions(
    () => [
      { text: 'New appointment', group: 'Appointments', icon: 'plus', keys: 'c', act: make },
      { text: 'Today', group: 'Appointments', icon: 'appointments', keys: 't', act: () => go({ day: undefined }) },
      { text: 'Later', group: 'Appointments', icon: 'next', keys: 'j', act: () => go({ day: addDays(day, step) }) },
      { text: 'Earlier', group: 'Appointments', icon: 'back', keys: 'k', act: () => go({ day: addDays(day, -step) }) },
      { text: 'Show the week', group: 'Appointments', keys: 'w', act: () => go({ view: 'week' }) },
      { text: 'Show the day', group: 'Appointments', keys: 'd', act: () => go({ view: 'day' }) },
      { text: 'Show pending appointments', group: 'Appointments', keys: 'p', act: () => go({ view: 'pending' }) },
    ],
    [project, JSON.stringify(place), today, days.length],
  )
  const shared = { project, calendar, place, today, days, go, edit }
  return (
    <div class="cal" data-keeps-focus>
      <Head {...shared} step={step} day={day} now={now} is_narrow={is_narrow} onNew={make} />
      {view === 'pending' ? (
        <PendingPage {...shared} />
      ) : (
        <CalendarPage {...shared} from={from} before={before} now={now} />
      )}
      {open && !form && <Details {...shared} id={open} key={open} />}
      {form && <AppointmentForm {...shared} subject={form} onClose={() => edit(null)} />}
    </div>
  )
}

export const page = { View }

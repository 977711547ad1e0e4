/** The appointments that wait for a confirmation, the earliest first. */

import { useEffect, useState } from 'preact/hooks'
import { faultOf } from '../data/errors.ts'
import type { CalendarEntry } from '../records/appointment.ts'
import { toast } from '../ui/overlays/toast.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { Empty } from '../ui/placeholders/empty.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import { appointmentsPlace } from './places.ts'
import type { Shared } from './shared.ts'
import { personOf, refusalText, type Step, whenText } from './words.ts'
import { localOf } from './zone.ts'

export function PendingPage({ project, calendar, place, go }: Shared) {
  useEffect(() => void calendar.readWaiting(), [calendar])
  const ids = calendar.waiting.value
  const entries = (ids ?? [])
    .flatMap((id) => calendar.entries.value.get(id) ?? [])
    .filter(({ assigned_to }) => !place.assigned_to || assigned_to?.id === place.assigned_to)
  return (
    <div class="cal-pending">
      {calendar.waiting_fault.value && (
        <Trouble
          title="They could not be loaded"
          error={calendar.waiting_fault.value}
          onRetry={() => calendar.readWaiting()}
        />
      )}
      {ids === null && !calendar.waiting_fault.value && <Waiting label="Loading the pending appointments" rows={4} />}
      {ids !== null && entries.length === 0 && (
        <div class="card">
          <Empty
            icon="appointments"
            title="Nothing waits"
            text="Appointments that have to be confirmed are listed here."
          />
        </div>
      )}
      {entries.length > 0 && (
        <ul class="card cal-list">
          {entries.map((entry) => (
            <Line project={project} calendar={calendar} place={place} go={go} entry={entry} key={entry.id} />
          ))}
        </ul>
      )}
    </div>
  )
}

function Line({
  project,
  calendar,
  place,
  go,
  entry,
}: Pick<Shared, 'project' | 'calendar' | 'place' | 'go'> & {
  entry: CalendarEntry
}) {
  const [is_busy, setBusy] = useState(false)
  const { id, assigned_to, starts_at, ends_at, location, modality } = entry
  const is_past = Date.parse(ends_at) < Date.now()
  const name = personOf(entry)
  const take = async (event: Step, done: string) => {
    setBusy(true)
    try {
      await calendar.step(id, event)
      toast(`${name}: ${done}`)
    } catch (error) {
      setBusy(false)
      toast(`It was not ${done}. ${refusalText(faultOf(error), place.zone)}`, { is_bad: true })
    }
  }
  const { day } = localOf(Date.parse(starts_at), place.zone)
  return (
    <li class="cal-line">
      <div>
        <button type="button" class="cal-line-name" onClick={() => go({ open: id })}>
          {name}
        </button>
        <p>
          {whenText(entry, place.zone)} {is_past && <span class="badge failed">Its time has passed</span>}
        </p>
        <p class="faint">
          {[assigned_to?.full_name ?? 'Nobody assigned', location ?? (modality === 'online' ? 'Online' : undefined)]
            .filter(Boolean)
            .join(' · ')}
        </p>
      </div>
      <div class="actions">
        <a
          class="button"
          href={appointmentsPlace(project.id, { ...place, view: 'day', day, open: undefined })}
          aria-label={`Show the day: ${name}`}
        >
          <Icon name="appointments" /> <span>Show the day</span>
        </a>
        <button
          type="button"
          class="button danger"
          disabled={is_busy}
          aria-label={`Cancel: ${name}`}
          onClick={() => take('cancel', 'cancelled')}
        >
          Cancel
        </button>
        <button
          type="button"
          class="button primary"
          disabled={is_busy}
          aria-label={`Confirm: ${name}`}
          onClick={() => take('confirm', 'confirmed')}
        >
          Confirm
        </button>
      </div>
    </li>
  )
}

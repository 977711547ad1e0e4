/** The appointments that wait for a confirmation, the earliest first. */
import { html } from 'htm/preact'
import { useEffect, useState } from 'preact/hooks'
import { faultOf } from '../data/errors.js'
import { Empty } from '../ui/empty.js'
import { Icon } from '../ui/icons.js'
import { toast } from '../ui/toast.js'
import { Trouble } from '../ui/trouble.js'
import { Waiting } from '../ui/waiting.js'
import { appointmentsPlace } from './places.js'
import { personOf, refusalText, whenText } from './words.js'
import { localOf } from './zone.js'

/**
 * @param {import('./mod.js').Shared} props
 */
export function PendingPage({ project, calendar, place, go }) {
  useEffect(() => void calendar.readWaiting(), [calendar])
  const ids = calendar.waiting.value
  const entries = (ids ?? [])
    .flatMap((id) => calendar.entries.value.get(id) ?? [])
    .filter(({ assigned_to }) => !place.assigned_to || assigned_to?.id === place.assigned_to)
  return html`<div class="cal-pending">
    ${calendar.waiting_fault.value && html`<${Trouble} title="They could not be loaded" error=${calendar.waiting_fault.value} onRetry=${() => calendar.readWaiting()} />`}
    ${ids === null && !calendar.waiting_fault.value && html`<${Waiting} label="Loading the pending appointments" rows=${4} />`}
    ${ids !== null && entries.length === 0 && html`<div class="card"><${Empty} icon="appointments" title="Nothing waits" text="Appointments that have to be confirmed are listed here." /></div>`}
    ${
      entries.length > 0 &&
      html`<ul class="card cal-list">
        ${entries.map((entry) => html`<${Line} project=${project} calendar=${calendar} place=${place} go=${go} entry=${entry} key=${entry.id} />`)}
      </ul>`
    }
  </div>`
}

/**
 * @param {Pick<import('./mod.js').Shared, 'project' | 'calendar' | 'place' | 'go'> & {
 *   entry: import('../../page_types/appointment.ts').CalendarEntry
 * }} props
 */
function Line({ project, calendar, place, go, entry }) {
  const [is_busy, setBusy] = useState(false)
  const { id, assigned_to, starts_at, ends_at, location, modality } = entry
  const is_past = Date.parse(ends_at) < Date.now()
  const name = personOf(entry)
  /** @param {string} event @param {string} done */
  const take = async (event, done) => {
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
  return html`<li class="cal-line">
    <div>
      <button type="button" class="cal-line-name" onClick=${() => go({ open: id })}>${name}</button>
      <p>${whenText(entry, place.zone)} ${is_past && html`<span class="badge failed">Its time has passed</span>`}</p>
      <p class="faint">${[assigned_to?.full_name ?? 'Nobody assigned', location ?? (modality === 'online' ? 'Online' : undefined)].filter(Boolean).join(' · ')}</p>
    </div>
    <div class="actions">
      <a class="button" href=${appointmentsPlace(project.id, { ...place, view: 'day', day, open: undefined })} aria-label=${`Show the day: ${name}`}><${Icon} name="appointments" /> <span>Show the day</span></a>
      <button type="button" class="button danger" disabled=${is_busy} aria-label=${`Cancel: ${name}`} onClick=${() => take('cancel', 'cancelled')}>Cancel</button>
      <button type="button" class="button primary" disabled=${is_busy} aria-label=${`Confirm: ${name}`} onClick=${() => take('confirm', 'confirmed')}>Confirm</button>
    </div>
  </li>`
}

/** The head of the calendar: where one is, and the choices of what is shown. */

import { SelectField, Switch } from '../ui/forms/field.tsx'
import { Popover } from '../ui/overlays/popover.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import { appointmentsPlace, type View } from './places.ts'
import type { Shared } from './shared.ts'
import { dayText, monthText } from './words.ts'
import { addDays, own_zone, zoneText } from './zone.ts'

/** Zones that can be chosen beside those of the appointments. */
const ZONES = [
  'UTC',
  'Europe/London',
  'Europe/Madrid',
  'America/New_York',
  'America/Mexico_City',
  'America/Bogota',
  'America/Sao_Paulo',
]

export function Head({
  project,
  calendar,
  place,
  days,
  step,
  day,
  now,
  is_narrow,
  go,
  onNew,
}: Shared & { step: number; day: string; now: number; is_narrow: boolean; onNew(): void }) {
  const { view, zone, assigned_to, cancelled } = place
  const waiting = calendar.waiting.value?.length
  const users = project.definitions.value?.users.filter((user) => user.is_active) ?? []
  const zones = [
    ...new Set([own_zone, zone, ...ZONES, ...[...calendar.entries.value.values()].map((one) => one.timezone)]),
  ]
  const title =
    view === 'pending'
      ? 'Pending'
      : days.length === 1
        ? dayText(day).whole
        : monthText(days[0] ?? day, days.at(-1) ?? day)
  const hrefOf = (one: View) => appointmentsPlace(project.id, { ...place, view: one, open: undefined })
  const views = [...(is_narrow ? [] : [['week', 'Week']]), ['day', 'Day'], ['pending', 'Pending']] as const
  const current = view === 'week' && is_narrow ? 'day' : view
  return (
    <header class="cal-head">
      <div class="cal-title">
        <h1 tabindex={-1}>{title}</h1>
        {view !== 'pending' && (
          <div class="cal-steps">
            <a
              class="quiet icon-button"
              aria-label={step === 1 ? 'Previous day' : 'Previous week'}
              href={appointmentsPlace(project.id, { ...place, open: undefined, day: addDays(day, -step) })}
            >
              <Icon name="back" />
            </a>
            <a class="quiet" href={appointmentsPlace(project.id, { ...place, open: undefined, day: undefined })}>
              Today
            </a>
            <a
              class="quiet icon-button"
              aria-label={step === 1 ? 'Next day' : 'Next week'}
              href={appointmentsPlace(project.id, { ...place, open: undefined, day: addDays(day, step) })}
            >
              <Icon name="next" />
            </a>
          </div>
        )}
      </div>
      <nav class="cal-views" aria-label="View">
        {views.map(([one, text]) => (
          <a href={hrefOf(one as View)} aria-current={one === current ? 'true' : undefined} key={one}>
            {text} {one === 'pending' && waiting ? <span class="cal-count">{waiting}</span> : ''}
          </a>
        ))}
      </nav>
      <div class="cal-tools">
        <span class="select">
          <select
            aria-label="Assignee"
            value={assigned_to ?? ''}
            onChange={({ currentTarget }) => go({ assigned_to: currentTarget.value || undefined })}
          >
            <option value="">Everybody</option>
            {users.map(({ _id, full_name }) => (
              <option value={_id} key={_id}>
                {full_name}
              </option>
            ))}
          </select>
          <Icon name="down" />
        </span>
        <Popover
          id="cal-options"
          class="button"
          label={`Time zone and filter: ${zoneText(zone, now)}`}
          button={
            <>
              <Icon name="clock" /> <span class="cal-zone">{zoneText(zone, now)}</span>
            </>
          }
        >
          {() => (
            <div class="cal-options">
              <SelectField
                label="Time zone"
                value={zone}
                options={zones.map((one) => ({
                  value: one,
                  text: one === own_zone ? `${zoneText(one, now)} (yours)` : zoneText(one, now),
                }))}
                onChange={(one) => go({ zone: one })}
              />
              <Switch label="Cancelled ones, too" is_on={cancelled} onChange={(is_on) => go({ cancelled: is_on })} />
            </div>
          )}
        </Popover>
        <button type="button" class="button primary" onClick={onNew}>
          <Icon name="plus" /> <span>New</span>
        </button>
      </div>
    </header>
  )
}

/** A week or a day by the hour. */

import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { useElement } from '../ui/hooks.ts'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Block } from './block.tsx'
import { HOUR } from './hours.ts'
import { useKeyboardMove } from './keyboard_move.ts'
import { blocksOf } from './layout.ts'
import { appointmentsPlace } from './places.ts'
import { usePointerMove } from './pointer_move.ts'
import type { Shared } from './shared.ts'
import { dayText, personOf, timeText, whenText } from './words.ts'
import { localOf, momentOf, weekOf } from './zone.ts'

const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
/** The hour that is at the top at first. */
const MORNING = 8

export function CalendarPage(shared: Shared & { from: number; before: number; now: number }) {
  const { project, calendar, place, today, days, from, before, now } = shared
  const { zone, assigned_to, cancelled } = place
  const scroller = useElement<HTMLDivElement>()
  const entries = calendar
    .within({ from, before, assigned_to })
    .filter(({ status }) => cancelled || status !== 'cancelled')
  const moving = calendar.moving.value
  const pointer = usePointerMove(shared, scroller)
  const keyboard = useKeyboardMove(shared)
  const [has_scrolled, setScrolled] = useState(false)
  const state = calendar.state.value

  // The morning, or what is earlier.
  useLayoutEffect(() => {
    if (has_scrolled || state !== 'ready') return
    const first = Math.min(
      MORNING * 60,
      ...entries.map(({ starts_at }) => localOf(Date.parse(starts_at), zone).minutes),
    )
    scroller.current.scrollTop = Math.max(0, (first / 60 - 0.5) * HOUR)
    setScrolled(true)
  }, [state, has_scrolled])

  // An appointment that is moved by keys stays in view and keeps the focus, also in another day.
  useEffect(() => {
    if (moving?.by !== 'keys') return
    const block = document.getElementById(`appointment-${moving.id}`)
    block?.focus({ preventScroll: true })
    block?.scrollIntoView({ block: 'nearest' })
  }, [moving])

  const clock = localOf(now, zone)
  const moved = moving && calendar.entries.value.get(moving.id)
  const said = moved && moving.by === 'keys' ? `${personOf(moved)}: ${whenText(moved, zone)}` : ''
  return (
    <div class="cal-main">
      {state === 'failed' && (
        <Trouble
          title="The appointments could not be loaded"
          error={calendar.fault.value}
          onRetry={() => calendar.read()}
        />
      )}
      {calendar.has_more.value && (
        <p class="note">These days have more appointments than can be shown. Choose an assignee.</p>
      )}
      {days.length === 1 && <Strip project={project} place={place} day={days[0] ?? today} today={today} />}
      <div
        class="cal-scroller"
        ref={scroller}
        tabindex={0}
        role="region"
        aria-label="Calendar"
        aria-busy={state === 'loading'}
      >
        {days.length > 1 && (
          <div class="cal-heads">
            <span class="cal-corner"></span>
            {days.map((day) => {
              const { weekday, number, whole } = dayText(day)
              const is_today = day === today
              return (
                <a
                  class={is_today ? 'cal-day-head is-today' : 'cal-day-head'}
                  href={appointmentsPlace(project.id, { ...place, view: 'day', day, open: undefined })}
                  aria-current={is_today ? 'date' : undefined}
                  key={day}
                >
                  <span>{weekday}</span> <strong>{number}</strong>{' '}
                  <span class="aside">
                    {whole}
                    {is_today ? ', today' : ''}
                  </span>
                </a>
              )
            })}
          </div>
        )}
        <div class="cal-body" style={{ height: `${24 * HOUR}px` }}>
          <div class="cal-hours" aria-hidden="true">
            {HOURS.slice(1).map((hour) => (
              <span style={{ top: `${hour * HOUR}px` }} key={hour}>
                {timeText(momentOf('2026-01-05', hour * 60, 'UTC'), 'UTC')}
              </span>
            ))}
          </div>
          {days.map((day) => {
            const blocks = blocksOf(entries, day, zone)
            const draft = pointer.draft?.day === day ? pointer.draft : null
            return (
              <ol
                class={day === today ? 'cal-day is-today' : 'cal-day'}
                data-day={day}
                aria-label={`${dayText(day).whole}: ${blocks.length === 1 ? '1 appointment' : `${blocks.length} appointments`}`}
                onPointerDown={pointer.onDay}
                onClick={pointer.onTap}
                key={day}
              >
                {blocks.map((block) => (
                  <Block
                    shared={shared}
                    block={block}
                    moving={moving}
                    pointer={pointer}
                    onKeyDown={keyboard}
                    key={block.entry.id}
                  />
                ))}
                {draft && (
                  <li
                    class="cal-draft"
                    aria-hidden="true"
                    style={{
                      top: `${(draft.from / 60) * HOUR}px`,
                      height: `${((draft.to - draft.from) / 60) * HOUR}px`,
                    }}
                  >
                    {timeText(momentOf(day, draft.from, zone), zone)} – {timeText(momentOf(day, draft.to, zone), zone)}
                  </li>
                )}
                {day === clock.day && (
                  <li class="cal-now" aria-hidden="true" style={{ top: `${(clock.minutes / 60) * HOUR}px` }}></li>
                )}
              </ol>
            )
          })}
        </div>
      </div>
      <p class="aside" role="status" aria-live="assertive">
        {said}
      </p>
      {moving?.by === 'keys' && (
        <p class="cal-keys" aria-hidden="true">
          <kbd>↑</kbd> <kbd>↓</kbd> time <kbd>←</kbd> <kbd>→</kbd> day <kbd>Shift</kbd> <kbd>↓</kbd> end{' '}
          <kbd>Enter</kbd> put <kbd>Esc</kbd> back
        </p>
      )}
    </div>
  )
}

/** The week of a day, to go to another of its days. */
function Strip({ project, place, day, today }: Pick<Shared, 'project' | 'place' | 'today'> & { day: string }) {
  return (
    <nav class="cal-strip" aria-label="Days of the week">
      {weekOf(day).map((one) => {
        const { weekday, number, whole } = dayText(one)
        return (
          <a
            class={one === today ? 'cal-day-head is-today' : 'cal-day-head'}
            href={appointmentsPlace(project.id, { ...place, view: 'day', day: one, open: undefined })}
            aria-current={one === day ? 'date' : undefined}
            key={one}
          >
            <span>{weekday}</span> <strong>{number}</strong>{' '}
            <span class="aside">
              {whole}
              {one === today ? ', today' : ''}
            </span>
          </a>
        )
      })}
    </nav>
  )
}

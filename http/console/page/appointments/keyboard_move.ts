/**
 * Moves an appointment by keys: `m` takes it up, arrows move it by a quarter of an hour or a day, with Shift they change
 * its end, Enter puts it down, Escape takes it back.
 */

import { useEffect, useRef } from 'preact/hooks'
import type { CalendarEntry } from '../records/appointment.ts'
import type { Moving } from './calendar.ts'
import { MIN, MINUTE_MS, STEP } from './hours.ts'
import { appointmentsPlace } from './places.ts'
import { put } from './put.ts'
import type { Shared } from './shared.ts'
import { isOpen } from './words.ts'
import { addDays, localOf, momentOf } from './zone.ts'

/** Returns the listener for keys on an appointment. */
export function useKeyboardMove(shared: Shared) {
  // A move goes on while other days are shown.
  const now = useRef(shared)
  now.current = shared
  const end = useRef(() => {})
  useEffect(() => () => end.current(), [])

  return (event: KeyboardEvent, entry: CalendarEntry) => {
    const { key, ctrlKey, metaKey, altKey } = event
    if (key.toLowerCase() !== 'm' || ctrlKey || metaKey || altKey || !isOpen(entry.status)) return
    event.preventDefault()
    event.stopPropagation()
    const before = { starts: Date.parse(entry.starts_at), ends: Date.parse(entry.ends_at) }
    now.current.calendar.moving.value = { id: entry.id, by: 'keys', ...before, before }
    // At once: the next key may come before the next drawing.
    const controller = new AbortController()
    end.current = () => {
      controller.abort()
      now.current.calendar.moving.value = null
    }
    const options = { capture: true, signal: controller.signal }
    addEventListener('keydown', (pressed) => take(pressed, now.current, controller), options)
    addEventListener('pointerdown', end.current, options)
  }
}

/** While an appointment is moved, keys do nothing else. */
function take(event: KeyboardEvent, { project, calendar, place, days }: Shared, controller: AbortController) {
  const { value: moving } = calendar.moving
  if (!moving) return controller.abort()
  const { zone } = place
  const next = movedBy(moving, event.key, event.shiftKey, zone)
  if (event.key === 'Enter' || event.key === ' ') {
    controller.abort()
    void put(calendar, zone)
    focusLater(moving.id)
  } else if (event.key === 'Escape' || event.key === 'Tab') {
    controller.abort()
    calendar.moving.value = null
    focusLater(moving.id)
  } else if (next) {
    calendar.moving.value = { ...moving, ...next }
    const { day } = localOf(next.starts, zone)
    if (!days.includes(day)) location.replace(appointmentsPlace(project.id, { ...place, day, open: undefined }))
  } else return
  event.preventDefault()
  event.stopPropagation()
}

function focusLater(id: string) {
  setTimeout(() => document.getElementById(`appointment-${id}`)?.focus())
}

/**
 * @public for its tests
 *
 * The times after a key; undefined for one that moves nothing.
 */
export function movedBy({ starts, ends }: Pick<Moving, 'starts' | 'ends'>, key: string, is_end: boolean, zone: string) {
  const minutes = { ArrowUp: -STEP, ArrowDown: STEP, PageUp: -60, PageDown: 60 }[key]
  if (minutes !== undefined && is_end) {
    return { starts, ends: Math.max(starts + MIN * MINUTE_MS, ends + minutes * MINUTE_MS) }
  }
  if (minutes !== undefined) return { starts: starts + minutes * MINUTE_MS, ends: ends + minutes * MINUTE_MS }
  const days = { ArrowLeft: -1, ArrowRight: 1 }[key]
  if (days === undefined) return undefined
  const local = localOf(starts, zone)
  const next = momentOf(addDays(local.day, days), local.minutes, zone)
  return { starts: next, ends: next + ends - starts }
}

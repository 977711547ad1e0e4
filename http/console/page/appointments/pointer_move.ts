/**
 * Moves appointments, changes their ends, and makes new ones, by the mouse or a pen. A finger scrolls and taps; when it
 * rests on an appointment, it moves it.
 */
import type { RefObject, TargetedMouseEvent, TargetedPointerEvent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { CalendarEntry } from '../records/appointment.ts'
import { whenHeld } from './hold.ts'
import { DAY, HOUR, MIN, MINUTE_MS, snapped } from './hours.ts'
import { put } from './put.ts'
import type { Shared } from './shared.ts'
import { momentOf } from './zone.ts'

type Draft = { day: string; from: number; to: number }

/** Pixels from which on it is a move and no click. */
const REACH = 5
/** Pixels from the edge within which the calendar scrolls, and by how much. */
const EDGE = 36
const SCROLL = 10
/** Length of a new appointment that is made by a click, in minutes. */
const USUAL = 30

export function usePointerMove({ calendar, place, edit }: Shared, scroller: RefObject<HTMLElement>) {
  const [draft, setDraft] = useState<Draft | null>(null)
  const moved_at = useRef(0)
  const stop = useRef(() => {})
  useEffect(() => () => stop.current(), [])
  const { zone } = place

  /** The day and minutes below the pointer. */
  const placeAt = ({ clientX, clientY }: { clientX: number; clientY: number }) => {
    const columns: HTMLElement[] = [...scroller.current.querySelectorAll('.cal-day')].filter(
      (one) => one instanceof HTMLElement,
    )
    const column = columns.find((one) => clientX < one.getBoundingClientRect().right) ?? (columns.at(-1) as HTMLElement)
    const minutes = ((clientY - column.getBoundingClientRect().top) / HOUR) * 60
    return { day: column.dataset.day ?? '', minutes: Math.max(0, Math.min(DAY, minutes)) }
  }

  /** Follows the pointer until it is let go; Escape takes everything back. */
  const follow = (
    first: PointerEvent,
    {
      onMove,
      onEnd,
      onCancel,
    }: { onMove(event: PointerEvent): void; onEnd(has_moved: boolean): void; onCancel(): void },
  ) => {
    // An appointment under a finger is shown as taken at once, and lifting the finger is no tap.
    let has_moved = first.pointerType === 'touch'
    if (has_moved) onMove(first)
    const controller = new AbortController()
    const { signal } = controller
    stop.current = () => controller.abort()
    const move = (event: PointerEvent) => {
      if (Math.hypot(event.clientX - first.clientX, event.clientY - first.clientY) > REACH) has_moved = true
      if (!has_moved) return
      const { top, bottom } = scroller.current.getBoundingClientRect()
      if (event.clientY > bottom - EDGE) scroller.current.scrollTop += SCROLL
      else if (event.clientY < top + EDGE) scroller.current.scrollTop -= SCROLL
      onMove(event)
    }
    const end = () => {
      controller.abort()
      if (has_moved) moved_at.current = performance.now()
      onEnd(has_moved)
    }
    const cancel = () => {
      controller.abort()
      onCancel()
    }
    addEventListener('pointermove', move, { signal })
    addEventListener('pointerup', end, { signal })
    addEventListener('pointercancel', cancel, { signal })
    addEventListener('keydown', ({ key }) => key === 'Escape' && cancel(), { signal })
  }

  const onBlock = (event: PointerEvent, entry: CalendarEntry, mode: 'move' | 'end') => {
    if (event.button !== 0) return
    event.stopPropagation()
    if (event.pointerType === 'touch') return whenHeld(event, () => grab(event, entry, mode))
    if (mode === 'end') event.preventDefault()
    grab(event, entry, mode)
  }

  const grab = (event: PointerEvent, entry: CalendarEntry, mode: 'move' | 'end') => {
    const before = { starts: Date.parse(entry.starts_at), ends: Date.parse(entry.ends_at) }
    const grabbed = placeAt(event)
    // The distance from the beginning stays, also where the appointment began on the day before.
    const distance = (momentOf(grabbed.day, grabbed.minutes, zone) - before.starts) / MINUTE_MS
    follow(event, {
      onMove(now) {
        const { day, minutes } = placeAt(now)
        if (mode === 'move') {
          const starts = momentOf(day, snapped(minutes - distance), zone)
          calendar.moving.value = {
            id: entry.id,
            by: 'pointer',
            starts,
            ends: starts + before.ends - before.starts,
            before,
          }
        } else {
          const ends = Math.max(before.starts + MIN * MINUTE_MS, momentOf(day, snapped(minutes), zone))
          calendar.moving.value = { id: entry.id, by: 'pointer', starts: before.starts, ends, before }
        }
      },
      onEnd: () => void put(calendar, zone),
      onCancel() {
        calendar.moving.value = null
      },
    })
  }

  const onDay = (event: TargetedPointerEvent<HTMLElement>) => {
    if (event.button !== 0 || event.pointerType === 'touch' || event.target !== event.currentTarget) return
    event.preventDefault()
    const { day, minutes } = placeAt(event)
    const begun = Math.min(DAY - USUAL, Math.floor(minutes / USUAL) * USUAL)
    let drawn = { day, from: begun, to: begun + USUAL }
    setDraft(drawn)
    follow(event, {
      onMove(now) {
        const at = snapped(placeAt(now).minutes)
        drawn = { day, from: Math.min(begun, at), to: Math.max(begun + MIN, at) }
        setDraft(drawn)
      },
      onEnd() {
        setDraft(null)
        edit({ day, minutes: drawn.from, length: drawn.to - drawn.from })
      },
      onCancel: () => setDraft(null),
    })
  }

  /** A tap of a finger on a free time. */
  const onTap = (event: TargetedMouseEvent<HTMLElement>) => {
    if (!(event instanceof PointerEvent) || event.pointerType !== 'touch' || event.target !== event.currentTarget)
      return
    const { day, minutes } = placeAt(event)
    edit({ day, minutes: Math.min(DAY - USUAL, Math.floor(minutes / USUAL) * USUAL), length: USUAL })
  }

  /** True right after a move, whose end the browser takes for a click. */
  const hasMoved = () => performance.now() - moved_at.current < 100
  return { draft, onBlock, onDay, onTap, hasMoved }
}

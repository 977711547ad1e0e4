/**
 * Moves appointments, changes their ends, and makes new ones, by the mouse or a pen. A finger scrolls and taps; when it
 * rests on an appointment, it moves it.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { whenHeld } from './hold.js'
import { DAY, HOUR, LEAST, MINUTE_MS, snapped } from './hours.js'
import { put } from './put.js'
import { momentOf } from './zone.js'

/** @typedef {import('../../page_types/appointment.ts').CalendarEntry} CalendarEntry */
/** @typedef {{ day: string, from: number, to: number }} Draft */

/** Pixels from which on it is a move and no click. */
const REACH = 5
/** Pixels from the edge within which the calendar scrolls, and by how much. */
const EDGE = 36
const SCROLL = 10
/** Length of a new appointment that is made by a click, in minutes. */
const USUAL = 30

/**
 * @param {import('./mod.js').Shared} shared
 * @param {import('preact').RefObject<HTMLElement>} scroller
 */
export function usePointerMove({ calendar, place, edit }, scroller) {
  const [draft, setDraft] = useState(/** @type {Draft | null} */ (null))
  const moved_at = useRef(0)
  const stop = useRef(() => {})
  useEffect(() => () => stop.current(), [])
  const { zone } = place

  /**
   * The day and minutes below the pointer.
   *
   * @param {{ clientX: number, clientY: number }} event
   */
  const placeAt = ({ clientX, clientY }) => {
    /** @type {HTMLElement[]} */
    const columns = [...scroller.current.querySelectorAll('.cal-day')].filter((one) => one instanceof HTMLElement)
    const column =
      columns.find((one) => clientX < one.getBoundingClientRect().right) ?? /** @type {HTMLElement} */ (columns.at(-1))
    const minutes = ((clientY - column.getBoundingClientRect().top) / HOUR) * 60
    return { day: column.dataset.day ?? '', minutes: Math.max(0, Math.min(DAY, minutes)) }
  }

  /**
   * Follows the pointer until it is let go; Escape takes everything back.
   *
   * @param {PointerEvent} first
   * @param {{ onMove(event: PointerEvent): void, onEnd(has_moved: boolean): void, onCancel(): void }} on
   */
  const follow = (first, { onMove, onEnd, onCancel }) => {
    // An appointment under a finger is shown as taken at once, and lifting the finger is no tap.
    let has_moved = first.pointerType === 'touch'
    if (has_moved) onMove(first)
    const controller = new AbortController()
    const { signal } = controller
    stop.current = () => controller.abort()
    /** @param {PointerEvent} event */
    const move = (event) => {
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

  /**
   * @param {PointerEvent} event
   * @param {CalendarEntry} entry
   * @param {'move' | 'end'} mode
   */
  const onBlock = (event, entry, mode) => {
    if (event.button !== 0) return
    event.stopPropagation()
    if (event.pointerType === 'touch') return whenHeld(event, () => grab(event, entry, mode))
    if (mode === 'end') event.preventDefault()
    grab(event, entry, mode)
  }

  /**
   * @param {PointerEvent} event
   * @param {CalendarEntry} entry
   * @param {'move' | 'end'} mode
   */
  const grab = (event, entry, mode) => {
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
          const ends = Math.max(before.starts + LEAST * MINUTE_MS, momentOf(day, snapped(minutes), zone))
          calendar.moving.value = { id: entry.id, by: 'pointer', starts: before.starts, ends, before }
        }
      },
      onEnd: () => void put(calendar, zone),
      onCancel() {
        calendar.moving.value = null
      },
    })
  }

  /** @param {PointerEvent & { currentTarget: HTMLElement }} event */
  const onDay = (event) => {
    if (event.button !== 0 || event.pointerType === 'touch' || event.target !== event.currentTarget) return
    event.preventDefault()
    const { day, minutes } = placeAt(event)
    const begun = Math.min(DAY - USUAL, Math.floor(minutes / USUAL) * USUAL)
    let drawn = { day, from: begun, to: begun + USUAL }
    setDraft(drawn)
    follow(event, {
      onMove(now) {
        const at = snapped(placeAt(now).minutes)
        drawn = { day, from: Math.min(begun, at), to: Math.max(begun + LEAST, at) }
        setDraft(drawn)
      },
      onEnd() {
        setDraft(null)
        edit({ day, minutes: drawn.from, length: drawn.to - drawn.from })
      },
      onCancel: () => setDraft(null),
    })
  }

  /** A tap of a finger on a free time. @param {PointerEvent & { currentTarget: HTMLElement }} event */
  const onTap = (event) => {
    if (event.pointerType !== 'touch' || event.target !== event.currentTarget) return
    const { day, minutes } = placeAt(event)
    edit({ day, minutes: Math.min(DAY - USUAL, Math.floor(minutes / USUAL) * USUAL), length: USUAL })
  }

  /** True right after a move, whose end the browser takes for a click. */
  const hasMoved = () => performance.now() - moved_at.current < 100
  return { draft, onBlock, onDay, onTap, hasMoved }
}

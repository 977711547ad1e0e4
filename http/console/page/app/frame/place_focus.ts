/** The focus after a change of the place. */

import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Console } from '../../core/console.ts'
import type { Place } from '../../data/place.ts'

/**
 * Focuses the heading when the place changes, so that screen readers announce it; after going back, the row that was
 * left, which has the last part of its address as id. A page that was just loaded begins at its top; a section that manages the focus itself marks the element that gets it with `data-focus`, or the whole page
 * with `data-keeps-focus`.
 */
export function useFocusOfPlace(core: Console, main: RefObject<HTMLElement>) {
  const place = core.place.value
  const came_from = useRef<Place | null>(null)
  const where = [place.project_id, place.section, ...place.path].join(' ')
  useEffect(() => {
    const left = came_from.current
    came_from.current = place
    if (!left && !core.came_in) return
    if (left?.section === place.section && main.current.querySelector('[data-keeps-focus]')) return
    const came_back = left?.section === place.section && left.path.length > place.path.length
    const row = came_back ? document.getElementById(left.path.at(-1) ?? '') : null
    const focusTarget = () => {
      const target = row ?? main.current.querySelector('[data-focus]') ?? main.current.querySelector('h1')
      if (target instanceof HTMLElement) target.focus({ preventScroll: true })
      return target !== null
    }
    if (focusTarget()) return
    // A section that is being loaded has no heading yet.
    const observer = new MutationObserver(() => focusTarget() && observer.disconnect())
    observer.observe(main.current, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [where])
}

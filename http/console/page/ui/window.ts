/** A long list of rows of one height, of which only those in view exist. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** Rows beyond each edge of the view. */
const BEYOND = 6

/**
 * The rows in view of a list that begins at the top of a scrolling element, as places from `first` to before `end`.
 *
 * @param height of a row, in pixels
 */
export function useWindow(scroller: RefObject<HTMLElement>, count: number, height: number) {
  const [range, setRange] = useState({ first: 0, end: 20 })
  useLayoutEffect(() => {
    const { current } = scroller
    const look = () => {
      const first = Math.max(0, Math.floor(current.scrollTop / height) - BEYOND)
      const end = Math.ceil((current.scrollTop + current.clientHeight) / height) + BEYOND
      setRange((before) => (before.first === first && before.end === end ? before : { first, end }))
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(current)
    current.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      current.removeEventListener('scroll', look)
    }
  }, [height])
  return { first: Math.min(range.first, count), end: Math.min(range.end, count) }
}

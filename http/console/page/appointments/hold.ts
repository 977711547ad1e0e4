/** A finger that rests on something takes it; one that moves at once scrolls. */

const HOLD_MS = 260
/** Pixels that a resting finger may move. */
const SLACK = 8

/** Calls `take` once the finger has rested. From then on the page does not scroll below it until it is lifted. */
export function whenHeld({ target, clientX, clientY }: PointerEvent, take: () => void) {
  const controller = new AbortController()
  const { signal } = controller
  let is_held = false
  const end = () => {
    clearTimeout(timer)
    controller.abort()
  }
  const timer = setTimeout(() => {
    is_held = true
    take()
  }, HOLD_MS)
  addEventListener(
    'pointermove',
    (event) => !is_held && Math.hypot(event.clientX - clientX, event.clientY - clientY) > SLACK && end(),
    { signal },
  )
  addEventListener('pointerup', end, { signal })
  addEventListener('pointercancel', end, { signal })
  addEventListener('contextmenu', (event) => event.preventDefault(), { signal })
  // At the target itself: it may leave the page while it is moved, and still gets the events of its finger.
  target?.addEventListener('touchmove', (event) => is_held && event.preventDefault(), { signal, passive: false })
}

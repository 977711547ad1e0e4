/** Small hooks that several views share. */
import { useEffect, useRef, useState } from 'preact/hooks'

/**
 * A place for the element with this `ref`. It is set when effects and listeners run.
 *
 * @template {Element} E
 * @returns {import('preact').RefObject<E>}
 */
export function useElement() {
  return useRef(/** @type {any} */ (null))
}

/**
 * The current time in milliseconds, updated while it is wanted. `every_ms` is a second unless it says otherwise.
 *
 * @param {boolean} is_wanted
 */
export function useClock(is_wanted, every_ms = 1_000) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    if (!is_wanted) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), every_ms)
    return () => clearInterval(timer)
  }, [is_wanted, every_ms])
  return now
}

/**
 * Runs an action of a form or of a button: busy meanwhile, with the fault of a refusal.
 *
 * @param {() => Promise<unknown>} act
 */
export function useAction(act) {
  const [is_busy, setBusy] = useState(false)
  const [fault, setFault] = useState(/** @type {import('../../page_types/fault.ts').Fault | null} */ (null))
  const run = async () => {
    if (is_busy) return
    setBusy(true)
    setFault(null)
    try {
      await act()
    } catch (error) {
      setFault(error instanceof Error ? error : new Error(String(error)))
    }
    setBusy(false)
  }
  return { run, is_busy, fault }
}

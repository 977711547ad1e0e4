/** Small hooks that several views share. */
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Fault } from '../records/fault.ts'

/** A place for the element with this `ref`. It is set when effects and listeners run. */
export function useElement<E extends Element>(): RefObject<E> {
  return useRef<E>(null) as RefObject<E>
}

/** The current time in milliseconds, updated while it is wanted. `every_ms` is a second unless it says otherwise. */
export function useClock(is_wanted: boolean, every_ms = 1_000) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    if (!is_wanted) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), every_ms)
    return () => clearInterval(timer)
  }, [is_wanted, every_ms])
  return now
}

/** Runs an action of a form or of a button: busy meanwhile, with the fault of a refusal. */
export function useAction(act: () => Promise<unknown>) {
  const [is_busy, setBusy] = useState(false)
  const [fault, setFault] = useState<Fault | null>(null)
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

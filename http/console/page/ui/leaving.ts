/** Holds the page in its place while there are unsaved changes. */

import { useEffect, useRef, useState } from 'preact/hooks'
import { leaving } from '../data/places.ts'

/**
 * `target` is the address that waits for the agent's decision, null without one; `go` leads there. `isKept` says whether the changes
 * survive on the way from one address to another, so that nobody has to decide.
 */
export function useLeaving(
  is_dirty: boolean,
  isKept: (here: string, target: string) => boolean,
  by: unknown,
): { target: string | null; stay(): void; go(): void } {
  const [target, setTarget] = useState<string | null>(null)
  const here = useRef(location.hash)
  useEffect(() => {
    here.current = location.hash
    if (!is_dirty) return
    const unload = (event: BeforeUnloadEvent) => event.preventDefault()
    const mayLeave = (hash: string) => {
      if (isKept(here.current, hash)) {
        here.current = hash
        return true
      }
      setTarget(hash)
      history.replaceState(null, '', here.current)
      return false
    }
    addEventListener('beforeunload', unload)
    leaving.add(mayLeave)
    return () => {
      removeEventListener('beforeunload', unload)
      leaving.delete(mayLeave)
    }
  }, [by, is_dirty])
  return {
    target,
    stay: () => setTarget(null),
    go: () => {
      setTarget(null)
      // The guard goes with the next drawing, so the address follows that.
      setTimeout(() => {
        location.hash = target ?? ''
      })
    },
  }
}

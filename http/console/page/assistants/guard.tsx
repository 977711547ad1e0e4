/** Asks before unsaved changes of an assistant are left: by another place, or by closing the page. */

import { useEffect, useRef, useState } from 'preact/hooks'
import { leaving, placeOf } from '../data/places.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import type { OpenAssistant } from './open_assistant.ts'
import { assistantsPlaceOf } from './places.ts'

/** Draws the question while there is one. */
export function useGuard(open: OpenAssistant | null) {
  const is_dirty = open?.is_dirty ?? false
  const [target, setTarget] = useState<string | null>(null)
  const here = useRef(location.hash)
  useEffect(() => {
    here.current = location.hash
    if (!open || !is_dirty) return
    const unload = (event: BeforeUnloadEvent) => event.preventDefault()
    /** The address is set back until the agent has decided. */
    const mayLeave = (hash: string) => {
      if (isKept(open, here.current, hash)) {
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
  }, [open, is_dirty])
  if (target === null || !open) return null
  const stay = () => setTarget(null)
  const discard = () => {
    if (isOf(open, target)) open.discardForms()
    else open.discard()
    setTarget(null)
    // The guard goes with the next drawing, so the address follows that.
    setTimeout(() => {
      location.hash = target
    })
  }
  return (
    <Dialog
      title="Discard your changes?"
      onClose={stay}
      actions={
        <>
          <button type="button" class="button" onClick={stay}>
            Keep editing
          </button>
          <button type="button" class="button danger" onClick={discard}>
            Discard
          </button>
        </>
      }
    >
      <p>“{open.assistant.value?.name}” has changes that are not saved.</p>
    </Dialog>
  )
}

/** Contents of blocks stay while the agent moves among the parts of the same assistant; a form goes with its place. */
function isKept(open: OpenAssistant, here: string, target: string) {
  if (!isOf(open, target)) return false
  return open.unsaved.peek().size === 0 || assistantsPlaceIn(here) === assistantsPlaceIn(target)
}

function isOf(open: OpenAssistant, hash: string) {
  const place = placeOf(hash)
  if (place.section !== 'assistants' || place.project_id !== open.project.id) return false
  const target = assistantsPlaceOf(place)
  return target?.page === 'one' && target.id === open.id
}

function assistantsPlaceIn(hash: string) {
  return JSON.stringify(assistantsPlaceOf(placeOf(hash)))
}

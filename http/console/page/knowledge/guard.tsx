/** Asks before unsaved changes are left: by another place, or by closing the page. */

import { useEffect, useRef, useState } from 'preact/hooks'
import { leaving } from '../data/places.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import type { OpenDocument } from './document/document.ts'

/** Draws the question while there is one. */
export function useGuard(open: OpenDocument | null) {
  const is_dirty = open?.is_dirty.value ?? false
  const [target, setTarget] = useState<string | null>(null)
  const here = useRef(location.hash)
  useEffect(() => {
    here.current = location.hash
    if (!is_dirty) return
    const unload = (event: BeforeUnloadEvent) => event.preventDefault()
    /** The address is set back until the agent has decided. */
    const mayLeave = (hash: string) => {
      if (isSamePlace(hash, here.current)) return true
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
  const go = () => {
    setTarget(null)
    // The guard goes with the next drawing, so the address follows that.
    setTimeout(() => {
      location.hash = target
    })
  }
  const save = async () => {
    if (await open.save()) go()
    else stay()
  }
  const discard = () => {
    open.discard()
    go()
  }
  return (
    <Dialog
      title="Save your changes?"
      onClose={stay}
      actions={
        <>
          <button type="button" class="button" onClick={stay}>
            Keep editing
          </button>
          <button type="button" class="button danger" onClick={discard}>
            Discard
          </button>
          <button type="button" class="button primary" aria-busy={open.is_saving.value} onClick={save}>
            Save
          </button>
        </>
      }
    >
      <p>“{open.stored.value?.name}” has changes that are not saved.</p>
    </Dialog>
  )
}

/** Parts after `?` do not leave the document. */
function isSamePlace(one: string, other: string) {
  return one.split('?')[0] === other.split('?')[0]
}

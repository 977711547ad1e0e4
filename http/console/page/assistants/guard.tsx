/** Asks before unsaved changes of an assistant are left: by another place, or by closing the page. */

import { placeOf } from '../data/places.ts'
import { useLeaving } from '../ui/leaving.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import type { OpenAssistant } from './open_assistant.ts'
import { assistantsPlaceOf } from './places.ts'

/** Draws the question while there is one. */
export function useGuard(open: OpenAssistant | null) {
  const is_dirty = open?.is_dirty ?? false
  const { target, stay, go } = useLeaving(is_dirty, (here, hash) => open !== null && isKept(open, here, hash), open)
  if (target === null || !open) return null
  const discard = () => {
    if (isOf(open, target)) open.discardForms()
    else open.discard()
    go()
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

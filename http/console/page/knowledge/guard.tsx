/** Asks before unsaved changes are left: by another place, or by closing the page. */

import { useLeaving } from '../ui/leaving.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import type { OpenDocument } from './document/document.ts'

/** Draws the question while there is one. */
export function useGuard(open: OpenDocument | null) {
  const is_dirty = open?.is_dirty.value ?? false
  const { target, stay, go } = useLeaving(is_dirty, isSamePlace, open)
  if (target === null || !open) return null
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

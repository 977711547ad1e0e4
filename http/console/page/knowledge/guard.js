/** Asks before unsaved changes are left: by another place, or by closing the page. */
import { html } from 'htm/preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { leaving } from '../app/places.js'
import { Dialog } from '../ui/dialog.js'

/**
 * Draws the question while there is one.
 *
 * @param {import('./document.js').OpenDocument | null} open
 */
export function useGuard(open) {
  const is_dirty = open?.is_dirty.value ?? false
  const [wanted, setWanted] = useState(/** @type {string | null} */ (null))
  const here = useRef(location.hash)
  useEffect(() => {
    here.current = location.hash
    if (!is_dirty) return
    /** @param {BeforeUnloadEvent} event */
    const unload = (event) => event.preventDefault()
    /** The address is set back until the agent has decided. @param {string} hash */
    const mayLeave = (hash) => {
      if (isSamePlace(hash, here.current)) return true
      setWanted(hash)
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
  if (wanted === null || !open) return null
  const stay = () => setWanted(null)
  const go = () => {
    setWanted(null)
    // The guard goes with the next drawing, so the address follows that.
    setTimeout(() => {
      location.hash = wanted
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
  return html`<${Dialog}
    title="Save your changes?"
    onClose=${stay}
    actions=${html`<button type="button" class="button" onClick=${stay}>Keep editing</button>
      <button type="button" class="button danger" onClick=${discard}>Discard</button>
      <button type="button" class="button primary" aria-busy=${String(open.is_saving.value)} onClick=${save}>Save</button>`}
  >
    <p>“${open.stored.value?.name}” has changes that are not saved.</p>
  <//>`
}

/**
 * Parts after `?` do not leave the document.
 *
 * @param {string} one
 * @param {string} other
 */
function isSamePlace(one, other) {
  return one.split('?')[0] === other.split('?')[0]
}

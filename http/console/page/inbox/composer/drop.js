/** Files that are dropped anywhere on the thread. */
import { useEffect, useState } from 'preact/hooks'

/**
 * @param {import('preact').RefObject<HTMLElement>} field
 * @param {boolean} is_wanted
 * @param {(files: File[]) => void} onFiles
 */
export function useDrop(field, is_wanted, onFiles) {
  const [is_dropping, setDropping] = useState(false)
  useEffect(() => {
    const area = field.current?.closest('.inbox-thread')
    if (!area || !is_wanted) return
    const stop = new AbortController()
    const options = { signal: stop.signal }
    /** @param {(event: DragEvent) => void} act @returns {EventListener} */
    const withFiles = (act) => (event) => {
      const drag = /** @type {DragEvent} */ (event)
      if (!drag.dataTransfer?.types.includes('Files')) return
      drag.preventDefault()
      act(drag)
    }
    area.addEventListener(
      'dragover',
      withFiles(() => setDropping(true)),
      options,
    )
    area.addEventListener(
      'dragleave',
      withFiles(({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && area.contains(relatedTarget))) setDropping(false)
      }),
      options,
    )
    area.addEventListener(
      'drop',
      withFiles(({ dataTransfer }) => {
        setDropping(false)
        onFiles([...(dataTransfer?.files ?? [])])
      }),
      options,
    )
    return () => stop.abort()
  }, [is_wanted])
  return { is_dropping }
}

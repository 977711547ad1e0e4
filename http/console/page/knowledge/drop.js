/** Dragging nodes into folders, and files from elsewhere. */
import { useEffect, useRef, useState } from 'preact/hooks'

const TYPE = 'application/x-parley-node'

/**
 * `target` is the id of the folder below the pointer; empty for the top, null without a drag. `from` makes an element
 * that can be dragged; `on` one that takes what is dropped for a folder, or for the top.
 *
 * @param {{
 *   canTake(id: string, folder: string | null): boolean
 *   onNode(id: string, folder: string | null): void
 *   onFiles(files: File[], folder: string | null): void
 *   onHover?(folder: string | null): void
 *   hover_ms?: number
 * }} options
 */
export function useDrop({ canTake, onNode, onFiles, onHover, hover_ms = 0 }) {
  const [target, setTarget] = useState(/** @type {string | null} */ (null))
  const dragged = useRef(/** @type {string | null} */ (null))
  const timer = useRef(/** @type {number | undefined} */ (undefined))
  /** @param {string | null} next */
  const aim = (next) => {
    if (next === target) return
    clearTimeout(timer.current)
    setTarget(next)
    if (next !== null && onHover) timer.current = setTimeout(() => onHover(next || null), hover_ms)
  }
  useEffect(() => {
    // A drag may end anywhere.
    const ended = () => aim(null)
    addEventListener('dragend', ended)
    addEventListener('drop', ended)
    return () => {
      removeEventListener('dragend', ended)
      removeEventListener('drop', ended)
    }
  })
  useEffect(() => () => clearTimeout(timer.current), [])

  /** @param {string} id */
  const from = (id) => ({
    onDragStart: (/** @type {DragEvent} */ event) => {
      dragged.current = id
      event.dataTransfer?.setData(TYPE, id)
      if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move'
    },
    onDragEnd: () => {
      dragged.current = null
    },
  })
  /** @param {string | null} folder */
  const on = (folder) => ({
    onDragOver: (/** @type {DragEvent} */ event) => {
      const with_files = hasFiles(event)
      const { current: id } = dragged
      event.stopPropagation()
      if (!with_files && (id === null || !canTake(id, folder))) return aim(null)
      event.preventDefault()
      if (event.dataTransfer) event.dataTransfer.dropEffect = with_files ? 'copy' : 'move'
      aim(folder ?? '')
    },
    onDragLeave: (/** @type {DragEvent & { currentTarget: HTMLElement }} */ { currentTarget, relatedTarget }) => {
      if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) aim(null)
    },
    onDrop: (/** @type {DragEvent} */ event) => {
      event.stopPropagation()
      event.preventDefault()
      const { current: id } = dragged
      aim(null)
      if (hasFiles(event)) onFiles([...(event.dataTransfer?.files ?? [])], folder)
      else if (id !== null && canTake(id, folder)) onNode(id, folder)
    },
  })
  return { target, from, on }
}

/** @param {DragEvent} event */
function hasFiles({ dataTransfer }) {
  return dataTransfer?.types.includes('Files') ?? false
}

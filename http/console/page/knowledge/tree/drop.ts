/** Dragging nodes into folders, and files from elsewhere. */
import type { TargetedDragEvent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

const TYPE = 'application/x-parley-node'

/**
 * `target` is the id of the folder below the pointer; empty for the top, null without a drag. `from` makes an element
 * that can be dragged; `on` one that takes what is dropped for a folder, or for the top.
 */
export function useDrop({
  canTake,
  onNode,
  onFiles,
  onHover,
  hover_ms = 0,
}: {
  canTake(id: string, folder: string | null): boolean
  onNode(id: string, folder: string | null): void
  onFiles(files: File[], folder: string | null): void
  onHover?(folder: string | null): void
  hover_ms?: number
}) {
  const [target, setTarget] = useState<string | null>(null)
  const dragged = useRef<string | null>(null)
  const timer = useRef<number | undefined>(undefined)
  const aim = (next: string | null) => {
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

  const from = (id: string) => ({
    onDragStart: (event: DragEvent) => {
      dragged.current = id
      event.dataTransfer?.setData(TYPE, id)
      if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move'
    },
    onDragEnd: () => {
      dragged.current = null
    },
  })
  const on = (folder: string | null) => ({
    onDragOver: (event: DragEvent) => {
      const with_files = hasFiles(event)
      const { current: id } = dragged
      event.stopPropagation()
      if (!with_files && (id === null || !canTake(id, folder))) return aim(null)
      event.preventDefault()
      if (event.dataTransfer) event.dataTransfer.dropEffect = with_files ? 'copy' : 'move'
      aim(folder ?? '')
    },
    onDragLeave: ({ currentTarget, relatedTarget }: TargetedDragEvent<HTMLElement>) => {
      if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) aim(null)
    },
    onDrop: (event: DragEvent) => {
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

function hasFiles({ dataTransfer }: DragEvent) {
  return dataTransfer?.types.includes('Files') ?? false
}

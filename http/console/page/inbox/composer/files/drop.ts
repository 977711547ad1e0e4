/** Files that are dropped anywhere on the thread. */
import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { DraftKind } from '../../../records/inbox_records.ts'

/** `mode`: the files go to what is written now. */
export function useDrop(field: RefObject<HTMLElement>, mode: DraftKind, onFiles: (files: File[]) => void) {
  const [is_dropping, setDropping] = useState(false)
  useEffect(() => {
    const area = field.current?.closest('.inbox-thread')
    if (!area) return
    const stop = new AbortController()
    const options = { signal: stop.signal }
    const withFiles =
      (act: (event: DragEvent) => void): EventListener =>
      (event) => {
        const drag = event as DragEvent
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
  }, [mode])
  return { is_dropping }
}

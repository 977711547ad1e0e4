/**
 * The parts of a thread that are loaded when one is first shown: the composer below it, and the panel beside it. Each
 * lies in a folder of its own.
 */

import { signal } from '@preact/signals'
import type { ComponentChild } from 'preact'
import { useEffect } from 'preact/hooks'
import { loadStyles } from '../../ui/styles/styles.ts'
import type { ThreadProps } from './thread_props.ts'

type ThreadPart = (props: ThreadProps) => ComponentChild
/** The panel asks by `onNote` for the field of notes. */
type PanelPart = (props: ThreadProps & { onNote(): void }) => ComponentChild
type ThreadParts = { Composer?: ThreadPart; Panel?: PanelPart }

const parts = signal<ThreadParts>({})
let is_loading = false

/** One line for each part. */
const LOADERS: { load(): Promise<ThreadParts>; style: string }[] = [
  { load: () => import('../composer/mod.tsx'), style: 'composer.css' },
  { load: () => import('../panel/mod.tsx'), style: 'panel.css' },
]

/** The parts that are loaded by now. */
export function useThreadParts() {
  useEffect(() => {
    if (is_loading) return
    is_loading = true
    for (const { load, style } of LOADERS) {
      Promise.all([load(), loadStyles([style])]).then(
        ([{ Composer, Panel }]) => {
          parts.value = { ...parts.peek(), ...(Composer && { Composer }), ...(Panel && { Panel }) }
        },
        (error) => {
          is_loading = false
          globalThis.console.error(error)
        },
      )
    }
  }, [])
  return parts.value
}

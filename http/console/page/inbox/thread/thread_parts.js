/**
 * The parts of a thread that are loaded when one is first shown: the composer below it, and the panel beside it. Each
 * lies in a folder of its own.
 */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { loadStyles } from '../../app/styles.js'

/** @typedef {(props: import('../mod.js').ThreadProps) => import('preact').ComponentChild} ThreadPart */
/** The panel asks by `onNote` for the field of notes. @typedef {(props: import('../mod.js').ThreadProps & { onNote(): void }) => import('preact').ComponentChild} PanelPart */
/** @typedef {{ Composer?: ThreadPart, Panel?: PanelPart }} ThreadParts */

const parts = signal(/** @type {ThreadParts} */ ({}))
let is_loading = false

/** One line for each part. @type {{ load(): Promise<ThreadParts>, style: string }[]} */
const LOADERS = [
  { load: () => import('../composer/mod.js'), style: 'composer.css' },
  { load: () => import('../panel/mod.js'), style: 'panel.css' },
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

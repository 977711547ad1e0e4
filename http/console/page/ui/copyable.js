/** A text with a button that copies it. */
import { html } from 'htm/preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from './icons.js'

const COPIED_MS = 2_000

/**
 * A text to copy; where the browser forbids copying, it can still be selected.
 *
 * @param {{ text: string, label: string, children: unknown }} props
 */
export function Copyable({ text, label, children }) {
  const [is_copied, setCopied] = useState(false)
  /** @type {import('preact').RefObject<number | undefined>} */
  const timer = useRef(/** @type {any} */ (null))
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      return // Not allowed here: the text can still be selected.
    }
    setCopied(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setCopied(false), COPIED_MS)
  }
  const button = html`<button type="button" class="quiet icon-button" aria-label="Copy ${label}" onClick=${copy}>
    <${Icon} name=${is_copied ? 'done' : 'copy'} />
  </button>`
  return html`<span class="copyable">
    ${children} ${navigator.clipboard && button}
    <span class="aside" role="status">${is_copied ? 'Copied' : ''}</span>
  </span>`
}

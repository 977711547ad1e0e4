/** A text with a button that copies it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from './pictures/icons.tsx'

const COPIED_MS = 2_000

/** A text to copy; where the browser forbids copying, it can still be selected. */
export function Copyable({ text, label, children }: { text: string; label: string; children: ComponentChildren }) {
  const [is_copied, setCopied] = useState(false)
  const timer = useRef<number>(undefined)
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
  const button = (
    <button type="button" class="quiet icon-button" aria-label={`Copy ${label}`} onClick={copy}>
      <Icon name={is_copied ? 'done' : 'copy'} />
    </button>
  )
  return (
    <span class="copyable">
      {children} {navigator.clipboard && button}
      <span class="aside" role="status">
        {is_copied ? 'Copied' : ''}
      </span>
    </span>
  )
}

/** Small components shared by several views. */
import { errorText } from './errors.js'
import { exactly, moment } from './format.js'
import { Icon } from './icons.js'
import { html, useEffect, useRef, useState } from './preact.js'

/** @typedef {import('../page_types/broadcast.ts').BroadcastStatus} BroadcastStatus */
/** @typedef {import('../page_types/broadcast.ts').RecipientStatus} RecipientStatus */

/** @type {Record<BroadcastStatus, string>} */
const STATUS_WORDS = {
  queued: 'Queued',
  sending: 'Sending',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
}
const COPIED_MS = 2_000

/** @type {Record<RecipientStatus, string>} */
export const COUNT_WORDS = { read: 'Read', delivered: 'Delivered', sent: 'Sent', failed: 'Failed', pending: 'Pending' }

/** @param {BroadcastStatus} status */
export function statusWord(status) {
  return STATUS_WORDS[status] ?? status
}

/**
 * @param {{ status: BroadcastStatus }} props
 */
export function Badge({ status }) {
  return html`<span class="badge ${status}">${statusWord(status)}</span>`
}

/**
 * An error with a button to retry.
 *
 * @param {{ title: string, error: import('../page_types/fault.ts').Fault, onRetry?: () => void }} props
 */
export function Trouble({ title, error, onRetry }) {
  return html`<div class="trouble" role="alert">
    <${Icon} name="alert" />
    <div>
      <p class="trouble-title">${title}</p>
      <p>${errorText(error)}</p>
    </div>
    ${onRetry && html`<button type="button" class="button" onClick=${onRetry}>Try again</button>`}
  </div>`
}

/**
 * @param {{ at: string | null }} props
 */
export function Moment({ at }) {
  return at ? html`<time datetime=${at} title=${exactly(at)}>${moment(at)}</time>` : html`<span class="faint">–</span>`
}

/**
 * A text to copy; where the browser forbids copying, it can still be selected.
 *
 * @param {{ text: string, label: string, children: unknown }} props
 */
export function Copyable({ text, label, children }) {
  const [is_copied, setCopied] = useState(false)
  /** @type {import('./preact.js').Ref<number | undefined>} */
  const timer = useRef()
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

/**
 * A button that opens a panel beside it. Escape, a click elsewhere or losing the focus closes it.
 *
 * @param {{ id: string, button: unknown, children: unknown }} props
 */
export function Menu({ id, button, children }) {
  const [is_open, setOpen] = useState(false)
  /** @type {import('./preact.js').Ref<HTMLElement>} */
  const place = useRef()
  const close = () => setOpen(false)
  /** @param {EventTarget | null} target */
  const isWithin = (target) => target instanceof Node && place.current.contains(target)
  useEffect(() => {
    if (!is_open) return
    /** @param {PointerEvent} event */
    const clicked = ({ target }) => isWithin(target) || close()
    document.addEventListener('pointerdown', clicked)
    return () => document.removeEventListener('pointerdown', clicked)
  }, [is_open])
  /** @param {KeyboardEvent} event */
  const onKeyDown = ({ key }) => {
    if (key !== 'Escape' || !is_open) return
    close()
    place.current.querySelector('button')?.focus()
  }
  /** @param {FocusEvent} event */
  const onFocusOut = ({ relatedTarget }) => relatedTarget && !isWithin(relatedTarget) && close()
  return html`<div class="menu" ref=${place} onKeyDown=${onKeyDown} onFocusOut=${onFocusOut}>
    <button
      type="button"
      class="quiet menu-button"
      aria-expanded=${String(is_open)}
      aria-controls=${id}
      onClick=${() => setOpen(!is_open)}
    >
      ${button}
    </button>
    <div id=${id} class="menu-panel" hidden=${!is_open}>${children}</div>
  </div>`
}

/**
 * Grey placeholders while content is loading.
 *
 * @param {{ label: string, rows: number }} props
 */
export function Waiting({ label, rows }) {
  return html`<div class="waiting" role="status">
    <span class="aside">${label}</span>
    ${Array.from({ length: rows }, (_, row) => html`<div class="waiting-row" key=${row}><i></i><i></i><i></i></div>`)}
  </div>`
}

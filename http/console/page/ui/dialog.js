/** A question or a form above the page: the browser's own dialog, closed by Escape. The focus returns by itself. */
import { html } from 'htm/preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useElement } from './hooks.js'
import { Icon } from './icons.js'

/**
 * `children` may be a function of `close`. `onClose` is called once it is closed, however that was done.
 *
 * @param {{
 *   title: string
 *   children: unknown
 *   onClose(): void
 *   actions?: unknown
 *   class?: string
 *   has_close?: boolean
 * }} props
 */
export function Dialog({ title, children, onClose, actions, class: style = '', has_close = false }) {
  /** @type {import('preact').RefObject<HTMLDialogElement>} */
  const dialog = useElement()
  const id = useId()
  const caret = useRef(() => {})
  useEffect(() => {
    const { current } = dialog
    caret.current = caretOf(document.activeElement)
    current.showModal()
    // The browser would choose the button that closes.
    const first = current.querySelector('form :is(input, select, textarea):enabled')
    if (first instanceof HTMLElement && !current.querySelector('[autofocus]')) first.focus()
    return () => current.close()
  }, [])
  const closed = () => {
    caret.current()
    onClose()
  }
  const close = () => dialog.current.close()
  /** @param {unknown} content */
  const filled = (content) => (typeof content === 'function' ? content(close) : content)
  /** A click beside the dialog is a click on its backdrop. @param {MouseEvent} event */
  const clicked = ({ target }) => target === dialog.current && has_close && close()
  return html`<dialog ref=${dialog} class="card ${style}" aria-labelledby=${id} onClose=${closed} onClick=${clicked}>
    <div class="dialog-head">
      <h2 id=${id}>${title}</h2>
      ${
        has_close &&
        html`<button type="button" class="quiet icon-button" aria-label="Close" onClick=${close}><${Icon} name="close" /></button>`
      }
    </div>
    ${filled(children)} ${actions && html`<div class="actions">${filled(actions)}</div>`}
  </dialog>`
}

/**
 * Remembers the caret of a text field. Chromium returns the focus without a caret when what had the focus within the
 * dialog is gone, and the field then takes no keys.
 *
 * @param {Element | null} field
 */
function caretOf(field) {
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement) || field.selectionStart === null)
    return () => {}
  const { selectionStart, selectionEnd } = field
  return () => document.activeElement === field && field.setSelectionRange(selectionStart, selectionEnd)
}

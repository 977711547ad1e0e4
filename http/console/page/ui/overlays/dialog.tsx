/** A question or a form above the page: the browser's own dialog, closed by Escape. The focus returns by itself. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useElement } from '../hooks.ts'
import { Icon } from '../pictures/icons.tsx'

type Content = ComponentChildren | ((close: () => void) => ComponentChildren)

/** `children` may be a function of `close`. `onClose` is called once it is closed, however that was done. */
export function Dialog({
  title,
  children,
  onClose,
  actions,
  class: style = '',
  has_close = false,
}: {
  title: string
  children: Content
  onClose(): void
  actions?: Content
  class?: string
  has_close?: boolean
}) {
  const dialog = useElement<HTMLDialogElement>()
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
  const filled = (content: Content) => (typeof content === 'function' ? content(close) : content)
  /** A click beside the dialog is a click on its backdrop. */
  const clicked = ({ target }: MouseEvent) => target === dialog.current && has_close && close()
  return (
    <dialog ref={dialog} class={`card ${style}`} aria-labelledby={id} onClose={closed} onClick={clicked}>
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        {has_close && (
          <button type="button" class="quiet icon-button" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        )}
      </div>
      {filled(children)} {actions && <div class="actions">{filled(actions)}</div>}
    </dialog>
  )
}

/**
 * Remembers the caret of a text field. Chromium returns the focus without a caret when what had the focus within the
 * dialog is gone, and the field then takes no keys.
 */
function caretOf(field: Element | null) {
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement) || field.selectionStart === null)
    return () => {}
  const { selectionStart, selectionEnd } = field
  return () => document.activeElement === field && field.setSelectionRange(selectionStart, selectionEnd)
}

/** The dialog around the form of a message: the fields, the message as it will look, sending now or later. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { Dialog } from '../../ui/dialog.js'
import { openLater } from '../composer/later.js'
import { Content } from '../thread/content.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {{ project: import('../../data/project.js').Project, compose: import('../composer/compose.js').Compose, onClose(): void }} FormProps */

/**
 * `children` is a function of `is_tried`: whether the agent tried to send, so that what is missing should be said.
 * `message` is the message so far; it can be sent when `is_complete`. `preview` replaces the usual one; null while there is nothing to
 * send.
 *
 * @param {FormProps & {
 *   title: string
 *   message: AnyRecord
 *   is_complete: boolean
 *   preview?: unknown
 *   children: (is_tried: boolean) => unknown
 * }} props
 */
export function FormDialog({ project, compose, onClose, title, message, is_complete, preview, children }) {
  const [is_tried, setTried] = useState(false)
  const name = compose.thread.contact.value?.name ?? 'the person'
  const refuse = () => {
    setTried(true)
    setTimeout(() => {
      const wrong = document.querySelector('dialog [aria-invalid]')
      if (wrong instanceof HTMLElement) wrong.focus()
    })
  }
  return html`<${Dialog} title=${title} class="wide message-form" has_close=${true} onClose=${onClose}>
    ${
      /** @param {() => void} close */
      (close) => {
        /** @param {Event} event */
        const send = (event) => {
          event.preventDefault()
          if (!is_complete) return refuse()
          void compose.sendMessage(message)
          close()
        }
        const sendLater = () => {
          if (!is_complete) return refuse()
          close()
          openLater({ compose, message })
        }
        return html`<form onSubmit=${send} novalidate>
          <div class="message-form-parts">
            <div class="message-form-fields">${children(is_tried)}</div>
            ${
              preview !== null &&
              html`<section class="message-form-preview" aria-label="Preview">
              <p class="faint"><bdi>${name}</bdi> sees</p>
              <div class="inbox-bubble">${preview ?? html`<${Content} message=${{ ...compose.requestOf(message), type: message.type, direction: 'outbound' }} project=${project} />`}</div>
            </section>`
            }
          </div>
          <div class="actions">
            <button type="button" class="button" onClick=${close}>Cancel</button>
            <button type="button" class="button" disabled=${preview === null} onClick=${sendLater}>Send later…</button>
            <button type="submit" class="button primary" disabled=${preview === null}>Send</button>
          </div>
        </form>`
      }
    }
  <//>`
}

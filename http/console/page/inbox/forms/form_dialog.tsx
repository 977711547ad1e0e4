/** The dialog around the form of a message: the fields, the message as it will look, sending now or later. */

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Project } from '../../data/project.ts'
import type { AnyRecord } from '../../records/record.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import type { Compose } from '../composer/compose.ts'
import { openLater } from '../composer/later/later.ts'
import { Content } from '../thread/content/content.tsx'

export type FormProps = { project: Project; compose: Compose; onClose(): void }

/**
 * `children` is a function of `is_tried`: whether the agent tried to send, so that what is missing should be said.
 * `message` is the message so far; it can be sent when `is_complete`. `preview` replaces the usual one; null while there is nothing to
 * send.
 */
export function FormDialog({
  project,
  compose,
  onClose,
  title,
  message,
  is_complete,
  preview,
  children,
}: FormProps & {
  title: string
  message: AnyRecord
  is_complete: boolean
  preview?: unknown
  children: (is_tried: boolean) => ComponentChildren
}) {
  const [is_tried, setTried] = useState(false)
  const name = compose.thread.contact.value?.name ?? 'the person'
  const refuse = () => {
    setTried(true)
    setTimeout(() => {
      const wrong = document.querySelector('dialog [aria-invalid]')
      if (wrong instanceof HTMLElement) wrong.focus()
    })
  }
  return (
    <Dialog title={title} class="wide message-form" has_close onClose={onClose}>
      {(close) => {
        const send = (event: Event) => {
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
        return (
          <form onSubmit={send} novalidate>
            <div class="message-form-parts">
              <div class="message-form-fields">{children(is_tried)}</div>
              {preview !== null && (
                <section class="message-form-preview" aria-label="Preview">
                  <p class="faint">
                    <bdi>{name}</bdi> sees
                  </p>
                  <div class="inbox-bubble">
                    {preview ?? (
                      <Content
                        message={{ ...compose.requestOf(message), type: message.type, direction: 'outbound' }}
                        project={project}
                      />
                    )}
                  </div>
                </section>
              )}
            </div>
            <div class="actions">
              <button type="button" class="button" onClick={close}>
                Cancel
              </button>
              <button type="button" class="button" disabled={preview === null} onClick={sendLater}>
                Send later…
              </button>
              <button type="submit" class="button primary" disabled={preview === null}>
                Send
              </button>
            </div>
          </form>
        )
      }}
    </Dialog>
  )
}

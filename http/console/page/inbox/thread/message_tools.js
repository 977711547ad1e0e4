/** Actions on a message: quote it in a reply, react to it, copy its text. */
import { html } from 'htm/preact'
import { faultOf } from '../../data/errors.js'
import { Icon } from '../../ui/icons.js'
import { Popover } from '../../ui/popover.js'
import { toast, toastFault } from '../../ui/toast.js'
import { textOf } from '../preview.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */

const EMOJI = ['👍', '❤️', '😂', '😮', '😢', '🙏']

/**
 * @param {{
 *   message: AnyRecord
 *   project: import('../../data/project.js').Project
 *   thread: import('./thread.js').Thread
 *   inbox: import('../inbox.js').Inbox
 *   reactions: import('./reactions.js').Reaction[] | undefined
 * }} props
 */
export function MessageTools({ message, project, thread, inbox, reactions }) {
  const { id, channel, channel_id, from, to, direction } = message
  const carried = project.definitions.value?.channels.find(({ _id }) => _id === channel_id)?.composing.message_types
  const text = textOf(message.message)
  const mine = reactions?.find((one) => one.direction === 'outbound')?.emoji
  const address = direction === 'inbound' ? from : to
  /** @param {string} emoji */
  const react = (emoji) => {
    const reaction = { type: 'reaction', message_id: id, emoji: emoji === mine ? '' : emoji }
    void thread.outgoing.send({ channel, channel_id, to: address, message: reaction })
  }
  const copy = () =>
    navigator.clipboard.writeText(text ?? '').then(
      () => toast('Copied'),
      (error) => toastFault('Not copied', faultOf(error)),
    )
  return html`<span class="inbox-message-tools">
    <${Popover} id="tools-${id}" label="Message actions" title="Message actions" class="quiet icon-button" button=${html`<${Icon} name="more" />`}>
      ${(/** @type {() => void} */ close) => {
        const then = (/** @type {() => void} */ act) => () => {
          close()
          act()
        }
        return html`${
          carried?.reaction &&
          address &&
          html`<div class="inbox-react" role="group" aria-label="React">
            ${EMOJI.map((emoji) => html`<button type="button" aria-pressed=${String(emoji === mine)} aria-label="React with ${emoji}" onClick=${then(() => react(emoji))} key=${emoji}>${emoji}</button>`)}
          </div>`
        }
          <div class="menu-items">
            <button
              type="button"
              class="menu-item"
              onClick=${then(() => {
                inbox.wanted.value = { mode: 'reply', ticket_id: thread.ticket_id, quote: id }
              })}
            >
              <${Icon} name="reply" /> <span>Reply to this</span>
            </button>
            ${text && html`<button type="button" class="menu-item" onClick=${then(copy)}><${Icon} name="copy" /> <span>Copy the text</span></button>`}
          </div>`
      }}
    <//>
  </span>`
}

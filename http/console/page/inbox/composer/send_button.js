/** Sending, now or later. */
import { html } from 'htm/preact'
import { prefer, preferences } from '../../app/preferences.js'
import { Icon } from '../../ui/icons.js'
import { Keys } from '../../ui/keys.js'
import { Menu } from '../../ui/menu.js'
import { openLater } from './later.js'

/**
 * `reason`: why nothing can be sent now, null when it can.
 *
 * @param {import('./mod.js').ComposeProps & { reason: string | null, onSend(): void }} props
 */
export function SendButton({ compose, reason, onSend }) {
  const is_reply = compose.mode.value === 'reply'
  const { enter_sends } = preferences.value
  const items = [
    ...(is_reply
      ? [
          {
            text: 'Send later…',
            icon: /** @type {const} */ ('clock'),
            is_off: reason !== null,
            act: () => openLater({ compose }),
          },
          /** @type {const} */ ('line'),
        ]
      : []),
    { text: 'Enter sends', is_on: enter_sends, act: () => prefer({ enter_sends: true }) },
    { text: 'Ctrl-Enter sends, Enter begins a line', is_on: !enter_sends, act: () => prefer({ enter_sends: false }) },
  ]
  return html`<span class="composer-send">
    <button
      type="button"
      class="button primary"
      aria-disabled=${String(reason !== null)}
      title=${reason || undefined}
      onClick=${onSend}
    >
      ${is_reply ? html`<${Icon} name="send" /> Send` : 'Add note'} <${Keys} keys=${enter_sends ? 'enter' : 'mod+enter'} />
    </button>
    <${Menu}
      id="composer-send-menu"
      label="More ways to send"
      side="above"
      class="button primary composer-more"
      button=${html`<${Icon} name="down" />`}
      items=${items}
    />
  </span>`
}

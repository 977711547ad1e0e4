/** Sending, now or later. */

import { prefer, preferences } from '../../../data/preferences.ts'
import { Keys } from '../../../ui/keys.tsx'
import { Menu } from '../../../ui/overlays/menu.tsx'
import { Icon } from '../../../ui/pictures/icons.tsx'
import type { ComposeProps } from '../compose_props.ts'
import { openLater } from '../later/later.ts'

/** `reason`: why nothing can be sent now, null when it can. */
export function SendButton({ compose, reason, onSend }: ComposeProps & { reason: string | null; onSend(): void }) {
  const is_reply = compose.mode.value === 'reply'
  const { enter_sends } = preferences.value
  const items = [
    ...(is_reply
      ? [
          {
            text: 'Send later…',
            icon: 'clock' as const,
            is_off: reason !== null,
            act: () => openLater({ compose }),
          },
          'line' as const,
        ]
      : []),
    { text: 'Enter sends', is_on: enter_sends, act: () => prefer({ enter_sends: true }) },
    { text: 'Ctrl-Enter sends, Enter begins a line', is_on: !enter_sends, act: () => prefer({ enter_sends: false }) },
  ]
  return (
    <span class="composer-send">
      <button
        type="button"
        class="button primary"
        aria-disabled={reason !== null}
        title={reason || undefined}
        onClick={onSend}
      >
        {is_reply ? (
          <>
            <Icon name="send" /> Send
          </>
        ) : (
          'Add note'
        )}{' '}
        <Keys keys={enter_sends ? 'enter' : 'mod+enter'} />
      </button>
      <Menu
        id="composer-send-menu"
        label="More ways to send"
        side="above"
        class="button primary composer-more"
        button={<Icon name="down" />}
        items={items}
      />
    </span>
  )
}

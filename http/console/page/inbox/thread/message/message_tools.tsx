/** Actions on a message: quote it in a reply, react to it, copy its text. */

import { textOf } from '../../../crm/preview.ts'
import { faultOf } from '../../../data/errors.ts'
import type { Project } from '../../../data/project.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { lazy } from '../../../ui/lazy.tsx'
import { Popover } from '../../../ui/overlays/popover.tsx'
import { toast, toastFault } from '../../../ui/overlays/toast.ts'
import { Icon } from '../../../ui/pictures/icons.tsx'
import type { Inbox } from '../../inbox.ts'
import type { Reaction } from '../conversation/reactions.ts'
import type { Thread } from '../conversation/thread.ts'

/** Few messages have a price. */
const PriceLine = lazy(() => import('./price_line.tsx').then((module) => module.PriceLine))

const EMOJI = ['👍', '❤️', '😂', '😮', '😢', '🙏']

export function MessageTools({
  message,
  project,
  thread,
  inbox,
  reactions,
}: {
  message: AnyRecord
  project: Project
  thread: Thread
  inbox: Inbox
  reactions: Reaction[] | undefined
}) {
  const { id, channel, channel_id, from, to, direction, price } = message
  const carried = project.definitions.value?.channels.find(({ _id }) => _id === channel_id)?.composing.message_types
  const text = textOf(message.message)
  const mine = reactions?.find((one) => one.direction === 'outbound')?.emoji
  const address = direction === 'inbound' ? from : to
  const react = (emoji: string) => {
    const reaction = { type: 'reaction', message_id: id, emoji: emoji === mine ? '' : emoji }
    void thread.outgoing.send({ channel, channel_id, to: address, message: reaction })
  }
  const copy = () =>
    navigator.clipboard.writeText(text ?? '').then(
      () => toast('Copied'),
      (error) => toastFault('Not copied', faultOf(error)),
    )
  return (
    <span class="inbox-message-tools">
      <Popover
        id={`tools-${id}`}
        label="Message actions"
        title="Message actions"
        class="quiet icon-button"
        button={<Icon name="more" />}
      >
        {(close) => {
          const then = (act: () => void) => () => {
            close()
            act()
          }
          return (
            <>
              {carried?.reaction && address && (
                <div class="inbox-react" role="group" aria-label="React">
                  {EMOJI.map((emoji) => (
                    <button
                      type="button"
                      aria-pressed={emoji === mine}
                      aria-label={`React with ${emoji}`}
                      onClick={then(() => react(emoji))}
                      key={emoji}
                    >
                      {emoji}
                    </button>
                  ))}
                </div>
              )}
              <div class="menu-items">
                <button
                  type="button"
                  class="menu-item"
                  onClick={then(() => {
                    inbox.opening.value = { mode: 'reply', ticket_id: thread.ticket_id, quote: id }
                  })}
                >
                  <Icon name="reply" /> <span>Reply to this</span>
                </button>
                {text && (
                  <button type="button" class="menu-item" onClick={then(copy)}>
                    <Icon name="copy" /> <span>Copy the text</span>
                  </button>
                )}
              </div>
              {price && <PriceLine {...price} />}
            </>
          )
        }}
      </Popover>
    </span>
  )
}

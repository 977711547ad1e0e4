/** The status of a message as ticks, with words for screen readers. */
import { Icon, type IconName } from '../ui/pictures/icons.tsx'

const STATUSES: Record<string, { icon: IconName; words: string }> = {
  sending: { icon: 'clock', words: 'Being sent' },
  queued: { icon: 'clock', words: 'Waiting to be sent' },
  sent: { icon: 'check', words: 'Sent' },
  delivered: { icon: 'checks', words: 'Delivered' },
  read: { icon: 'checks', words: 'Read' },
  failed: { icon: 'alert', words: 'Not delivered' },
}

export function Ticks({ status }: { status: string }) {
  const found = STATUSES[status]
  return (
    found && (
      <span class={`ticks is-${status}`} title={found.words}>
        <Icon name={found.icon} />
        <span class="aside">{found.words}: </span>
      </span>
    )
  )
}

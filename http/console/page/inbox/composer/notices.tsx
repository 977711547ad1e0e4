/** Obstacles to writing freely: a closed window, a closed ticket; and the time that is left. */

import { nameOfChannel } from '../../crm/channels.ts'
import { exactly, timeUntil } from '../../ui/format/format.ts'
import { useAction } from '../../ui/hooks.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { ticketActs } from '../panel/ticket_acts.ts'
import type { ComposeProps, ReplyWindow } from './compose_props.ts'
import { openForm } from './forms.ts'

/** The rest of the window in which the countdown is urgent. */
const URGENT_MS = 2 * 3_600_000

export function WindowLeft({ reply_window: { state, ends_at }, now }: { reply_window: ReplyWindow; now: number }) {
  const left = state === 'open' && ends_at ? timeUntil(ends_at, now) : null
  if (!left || !ends_at) return null
  const is_urgent = Date.parse(ends_at) - now < URGENT_MS
  return (
    <p
      class={is_urgent ? 'composer-window is-urgent' : 'composer-window'}
      title={`Any message may be sent until ${exactly(ends_at)}`}
    >
      <Icon name="clock" /> {left} left to reply
    </p>
  )
}

/** Takes the place of the field: only templates reach the person. */
export function ClosedWindow({ reply_window: { ends_at }, ...props }: ComposeProps & { reply_window: ReplyWindow }) {
  const channel = nameOfChannel(props.thread.contact.value?.channel_type ?? '')
  return (
    <div class="composer-notice">
      <Icon name="clock" />
      <div>
        <p class="composer-notice-title">Only templates reach this person now</p>
        <p class="faint">
          {ends_at
            ? `${channel} lets you write freely for 24 hours after the person's last message. That time ended ${exactly(ends_at)}. An answer opens it again.`
            : `The person has not written on this number yet. ${channel} lets you write freely once they do.`}
        </p>
        <KeptDraft {...props} />
      </div>
      <button type="button" class="button primary" onClick={() => openForm(props.compose, 'template')}>
        <Icon name="template" /> Choose a template
      </button>
    </div>
  )
}

function KeptDraft({ compose }: Pick<ComposeProps, 'compose'>) {
  const kept = [...compose.texts.reply.value]
  if (kept.length === 0) return null
  return (
    <p class="faint">
      Your draft is kept: “{kept.slice(0, 80).join('')}
      {kept.length > 80 ? '…' : ''}”
    </p>
  )
}

/** A channel without templates: the provider may refuse what is sent. */
export function LateNote() {
  return (
    <p class="composer-bar is-wary">
      <Icon name="clock" />{' '}
      <span>The time to reply is over. The provider may refuse the message until the person writes again.</span>
    </p>
  )
}

export function ClosedTicket({ project, thread, compose }: ComposeProps) {
  // The notice goes away while it is reopened, so that a refusal is told elsewhere.
  const reopen = useAction(ticketActs(project, thread.ticket_id, thread.changes).reopen)
  return (
    <div class="composer-notice">
      <Icon name="done" />
      <div>
        <p class="composer-notice-title">This ticket is closed</p>
        <p class="faint">Reopen it to write to the person. When the person writes, a new ticket is opened.</p>
        <KeptDraft compose={compose} />
      </div>
      <button type="button" class="button" disabled={reopen.is_busy} onClick={reopen.run}>
        Reopen
      </button>
    </div>
  )
}

/** The head of a thread: the person, the colleagues who are there, and what is done with the ticket. */

import { ChannelMark } from '../../../crm/channel.tsx'
import { nameOfChannel } from '../../../crm/channels.ts'
import { momentText } from '../../../crm/entry/moments.ts'
import { personName } from '../../../ui/format/format.ts'
import { PHONE, useMedia } from '../../../ui/media.ts'
import { Avatar } from '../../../ui/pictures/avatar.tsx'
import { Icon } from '../../../ui/pictures/icons.tsx'
import type { ThreadProps } from '../thread_props.ts'
import type { Details } from './details_place.ts'
import { Handler } from './handler.tsx'
import { Snooze } from './snooze.tsx'
import { TicketTools } from './ticket_tools.tsx'

export function ThreadHead({
  project,
  inbox,
  thread,
  details,
  onClose,
}: Omit<ThreadProps, 'console'> & { details: Details; onClose(): void }) {
  const ticket = thread.ticket.value
  const row = inbox.list.value?.row(thread.ticket_id)?.value
  const contact = thread.contact.value
  const name = personName({ ...contact, name: contact?.name ?? ticket?.chat_user_name })
  // The list, which has the heading of the page, is not shown then.
  const is_phone = useMedia(PHONE)
  const type = contact?.channel_type ?? ticket?.chat_user_channel
  const others = (project.presence.value.get(thread.ticket_id) ?? []).filter(
    ({ user_id }) => user_id !== project.user._id,
  )
  return (
    <header class="inbox-thread-head">
      <button type="button" class="quiet icon-button inbox-back" aria-label="Back to the list" onClick={onClose}>
        <Icon name="back" />
      </button>
      <Avatar
        name={name || null}
        id={contact?._id ?? thread.ticket_id}
        picture={contact?.avatar ?? ticket?.chat_user_avatar}
      />
      {is_phone && <h1 class="aside">Inbox</h1>}
      <div class="inbox-who">
        <h2 tabindex={-1}>{name || 'Ticket'}</h2>
        <p class="faint">
          {type && (
            <>
              <ChannelMark type={type} /> {nameOfChannel(type)}
            </>
          )}{' '}
          {contact?.phone && <> · {contact.phone}</>}
          {ticket?.handled_by === 'assistant' && (
            <>
              {' '}
              · <span class="inbox-assistant">Answered by an assistant</span>
            </>
          )}
          {ticket?.is_closed && (
            <>
              {' '}
              · <span class="inbox-closed">Closed</span>
            </>
          )}
          {row?.snoozed_at && (
            <>
              {' '}
              ·{' '}
              <span class="inbox-closed">
                Snoozed until {row.snoozed_until ? momentText(new Date(row.snoozed_until)) : 'the person writes'}
              </span>
            </>
          )}
        </p>
      </div>
      <p class="inbox-watchers" role="status">
        {others.map(({ user_id, full_name, state }) => (
          <span class={state} title={`${full_name} is ${state === 'replying' ? 'replying' : 'looking'}`} key={user_id}>
            <Avatar name={full_name} id={user_id} size="small" />{' '}
            <span>
              <bdi>{full_name}</bdi> is {state === 'replying' ? 'replying' : 'looking'}
            </span>
          </span>
        ))}
      </p>
      <Handler project={project} thread={thread} />
      <TicketTools project={project} inbox={inbox} thread={thread} details={details} />
      <Snooze project={project} inbox={inbox} thread={thread} />
      <button
        type="button"
        class="quiet icon-button"
        aria-label="Details"
        title="Details"
        aria-pressed={details.is_shown}
        onClick={details.turn}
      >
        <Icon name="panel" />
      </button>
    </header>
  )
}

/** A ticket in the list of the inbox. It is drawn again only when its own row changes. */

import type { Signal } from '@preact/signals'
import type { TargetedEvent } from 'preact'
import { Assignee } from '../crm/assignee.tsx'
import { ChannelMark } from '../crm/channel.tsx'
import { inboxPlace } from '../crm/inbox_places.ts'
import { minute } from '../crm/minute.ts'
import { wordsOf } from '../crm/preview.ts'
import { templatesOf } from '../crm/template_texts.ts'
import { Ticks } from '../crm/ticks.tsx'
import type { Project } from '../data/project.ts'
import type { InboxFilter, InboxRow } from '../records/inbox.ts'
import { age, exactly, personName, timeUntil } from '../ui/format/format.ts'
import { memo } from '../ui/memo.tsx'
import { Avatar } from '../ui/pictures/avatar.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import type { Inbox } from './inbox.ts'

/** Pixels. */
export const ROW_HEIGHT = 82
/** Tags that have room. */
const MAX_TAGS = 2
/** The rest of the window in which the countdown is urgent. */
const URGENT_MS = 2 * 3_600_000

type RowProps = {
  row: Signal<InboxRow>
  top: number
  place: number
  count: number
  project: Project
  inbox: Inbox
  view: string
  filter: InboxFilter
  is_open: boolean
  is_stop: boolean
}

export const Row = memo(
  ({ row: signal, top, place, count, project, inbox, view, filter, is_open, is_stop }: RowProps) => {
    const row = signal.value
    const { ticket_id, contact, unread_count, assigned_to } = row
    const name = personName(contact)
    const is_chosen = inbox.chosen.value.has(ticket_id)
    const others = (project.presence.value.get(ticket_id) ?? []).filter(({ user_id }) => user_id !== project.user._id)
    const style = ['inbox-row', is_open && 'is-open', unread_count > 0 && 'is-unread', is_chosen && 'is-chosen']
    const choose = ({ currentTarget }: TargetedEvent<HTMLInputElement>) =>
      inbox.choose(ticket_id, currentTarget.checked)
    // One row is on the way of Tab; the arrows lead to the others.
    const tabindex = is_stop ? undefined : -1
    return (
      <li
        class={style.filter(Boolean).join(' ')}
        style={{ transform: `translateY(${top}px)` }}
        aria-setsize={count}
        aria-posinset={place + 1}
      >
        <label class="inbox-check">
          <input
            type="checkbox"
            tabindex={tabindex}
            checked={is_chosen}
            aria-label={`Choose the ticket of ${name}`}
            onChange={choose}
          />
          <Avatar name={name} id={contact._id} picture={contact.avatar} />
        </label>
        <a
          id={ticket_id}
          class="inbox-link"
          tabindex={tabindex}
          href={inboxPlace(project.id, { view, ticket_id, filter })}
          aria-current={is_open ? 'true' : undefined}
        >
          <span class="inbox-name">
            <ChannelMark type={contact.channel_type ?? ''} /> <span>{name}</span>
          </span>
          {unread_count > 0 && <span class="aside">{unread_count} unread</span>}
        </a>
        <When row={row} />
        <p class="inbox-words">
          <Words row={row} project={project} draft={inbox.drafts.value?.texts.value.get(ticket_id)} />
        </p>
        {unread_count > 0 && (
          <span class="count" aria-hidden="true">
            {unread_count > 99 ? '99+' : unread_count}
          </span>
        )}
        <p class="inbox-facts">
          {row.handled_by === 'assistant' && <span class="inbox-assistant">Assistant</span>}
          {row.stage?.name && <span class="inbox-stage">{row.stage.name}</span>}
          {row.tags.slice(0, MAX_TAGS).map(({ id, name }) => (
            <span class="inbox-tag" key={id}>
              {name}
            </span>
          ))}
          {row.tags.length > MAX_TAGS && <span class="faint">+{row.tags.length - MAX_TAGS}</span>}
          {row.failed_at && (
            <span
              class="inbox-reply-failed"
              title={`A reply failed on ${exactly(row.failed_at)}, and none was sent since`}
            >
              Reply failed
            </span>
          )}
          <Countdown row={row} />
          <span class="inbox-people">
            {others.map(({ user_id, full_name, state }) => (
              <span
                class="inbox-watcher"
                title={`${full_name} is ${state === 'replying' ? 'replying' : 'looking'}`}
                key={user_id}
              >
                <Avatar name={full_name} id={user_id} size="small" />
                <Icon name={state === 'replying' ? 'edit' : 'eye'} />
              </span>
            ))}
            {assigned_to && <Assignee user={assigned_to} />}
          </span>
        </p>
      </li>
    )
  },
)

function When({ row: { last_activity_at, waiting_since } }: { row: InboxRow }) {
  const now = minute.value
  const waits = waiting_since ? `, waits for an answer since ${exactly(waiting_since)}` : ''
  return (
    <time
      class={waiting_since ? 'inbox-when is-waiting' : 'inbox-when'}
      datetime={last_activity_at}
      title={`${exactly(last_activity_at)}${waits}`}
    >
      {age(waiting_since ?? last_activity_at, now)}
    </time>
  )
}

function Words({
  row: { last_message },
  project,
  draft,
}: {
  row: InboxRow
  project: Project
  draft: string | undefined
}) {
  if (draft)
    return (
      <>
        <b class="inbox-draft">Draft</b> {draft}
      </>
    )
  if (!last_message) return <span class="faint">No messages yet</span>
  const { direction, status } = last_message
  return (
    <>
      {direction === 'outbound' && <Ticks status={status} />} {wordsOf(last_message, templatesOf(project))}
    </>
  )
}

/** The rest of the time in which any message may be sent. */
function Countdown({ row: { reply_window_ends_at, is_closed } }: { row: InboxRow }) {
  if (!reply_window_ends_at || is_closed) return null
  const now = minute.value
  const left = timeUntil(reply_window_ends_at, now)
  if (left === null) {
    return (
      <span class="inbox-window is-over" title="Only templates can be sent now">
        templates only
      </span>
    )
  }
  const is_urgent = Date.parse(reply_window_ends_at) - now < URGENT_MS
  return (
    <span
      class={is_urgent ? 'inbox-window is-urgent' : 'inbox-window'}
      title={`Any message may be sent until ${exactly(reply_window_ends_at)}`}
    >
      <Icon name="clock" /> {left}
      <span class="aside"> left to reply</span>
    </span>
  )
}

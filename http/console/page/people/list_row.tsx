/** A line of the list of people. */
import { ChannelMark } from '../crm/channel.tsx'
import { nameOfChannel } from '../crm/channels.ts'
import { minute } from '../crm/minute.ts'
import type { Project } from '../data/project.ts'
import { age, exactly, number, personName } from '../ui/format/format.ts'
import { Avatar } from '../ui/pictures/avatar.tsx'
import { type Kind, peoplePlace } from './places.ts'

/** Pixels. */
export const ROW_HEIGHT = 60

export function Row({ project, kind, id }: { project: Project; kind: Kind; id: string }) {
  const record = project.records.get(kind, id)
  if (!record) return <span class="faint">Deleted</span>
  const href = peoplePlace(project.id, kind, id)
  if (kind === 'customer') {
    const { full_name, email, phone, tags, chat_users, created_at } = record
    return (
      <>
        <Avatar name={full_name} id={id} />
        <a id={id} class="people-name" href={href}>
          {full_name}
        </a>
        <span class="people-main faint">{[email, phone].filter(Boolean).join(' · ') || 'No e-mail or phone'}</span>
        <span class="people-more">
          {tags.slice(0, 3).map((tag: string) => (
            <span class="people-tag" key={tag}>
              {tag}
            </span>
          ))}
        </span>
        <span class="people-more faint">
          {chat_users.length === 1 ? '1 contact' : `${number(chat_users.length)} contacts`}
        </span>
        <When at={created_at} what="Created" />
      </>
    )
  }
  const { phone, user_id, avatar, channel_type, last_seen_at, customer_id } = record
  return (
    <>
      <Avatar name={personName(record)} id={id} picture={avatar} />
      <a id={id} class="people-name" href={href}>
        {personName(record)}
      </a>
      <span class="people-main faint">
        <span class="people-mark">
          <ChannelMark type={channel_type} />
        </span>{' '}
        {phone ?? user_id}
      </span>
      <span class="people-more">{customer_id && <span class="people-tag">Customer</span>}</span>
      <span class="people-more faint">{nameOfChannel(channel_type)}</span>
      <When at={last_seen_at} what="Last seen" />
    </>
  )
}

function When({ at, what }: { at: string; what: string }) {
  return (
    <time class="people-when faint" datetime={at} title={`${what} ${exactly(at)}`}>
      {age(at, minute.value)}
    </time>
  )
}

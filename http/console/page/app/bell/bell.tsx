/** The bell: what colleagues want from the agent, and what became of things the agent left to Parley. */

import { effect, untracked } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { inboxPlace, inboxPlaceOf } from '../../crm/inbox_places.ts'
import { faultOf } from '../../data/errors.ts'
import { placeOf } from '../../data/places.ts'
import type { Project } from '../../data/project.ts'
import type { Notification } from '../../records/inbox_records.ts'
import { age, exactly } from '../../ui/format/format.ts'
import { Popover } from '../../ui/overlays/popover.tsx'
import { toastFault } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Empty } from '../../ui/placeholders/empty.tsx'
import { noticeOfMessage, showNotice } from './desktop_notices.ts'
import { Notifications, wordsOf } from './notifications.ts'

export function Bell({ project }: { project: Project }) {
  const notifications = project.part('notifications', () => new Notifications(project))
  const count = notifications.unread_count.value
  useEffect(() => {
    notifications.onNew = (notification) => {
      const { title, text } = wordsOf(notification)
      const { _id: tag, ticket_id } = notification
      showNotice({ title, body: text ?? '', tag, href: hrefOf(project, notification), ticket_id })
    }
    notifications.onMessage = (message) => void noticeOfMessage(project, message)
  }, [notifications])
  useSeen(project, notifications)
  const badge = count > 99 ? '99+' : String(count)
  const button = (
    <>
      <Icon name="bell" /> <span class="bell-text">Notifications</span>
      {count > 0 && (
        <>
          {' '}
          <span class="count">{badge}</span>
        </>
      )}
    </>
  )
  return (
    <div class="bell">
      <Popover
        id="notifications"
        button={button}
        label={count > 0 ? `Notifications ${badge} unread` : 'Notifications'}
        class="quiet bell-button"
        key={project.id}
      >
        {(close) => <List project={project} notifications={notifications} close={close} />}
      </Popover>
      <span class="aside" role="status">
        {count > 0 ? `${count} unread notifications` : ''}
      </span>
    </div>
  )
}

/** Notifications of the ticket that is shown are read, unless the page is behind others. */
function useSeen(project: Project, notifications: Notifications) {
  useEffect(() => {
    const see = () => {
      const place = placeOf(location.hash)
      if (document.hidden || place.section !== 'inbox' || place.project_id !== project.id) return
      const { ticket_id } = inboxPlaceOf(place)
      // A lost request is made again when the page is next in front.
      if (ticket_id) notifications.markTicketRead(ticket_id).catch(() => {})
    }
    const stop = effect(() => {
      void notifications.list.value
      untracked(see)
    })
    addEventListener('hashchange', see)
    document.addEventListener('visibilitychange', see)
    return () => {
      stop()
      removeEventListener('hashchange', see)
      document.removeEventListener('visibilitychange', see)
    }
  }, [project, notifications])
}

function List({ project, notifications, close }: { project: Project; notifications: Notifications; close(): void }) {
  const list = notifications.list.value
  const failed = (error: unknown) => toastFault('The notifications are still unread', faultOf(error))
  const open = (one: Notification) => {
    notifications.markRead([one._id]).catch(failed)
    close()
  }
  return (
    <div class="bell-panel">
      <div class="bell-head">
        <h2>Notifications</h2>
        <button
          type="button"
          class="link"
          hidden={notifications.unread_count.value === 0}
          onClick={() => notifications.markAllRead().catch(failed)}
        >
          Mark all as read
        </button>
      </div>
      {list.length === 0 && (
        <Empty
          icon="bell"
          title="Nothing new"
          text="When a colleague mentions you in a note or assigns a ticket to you, it appears here."
        />
      )}
      <ul>
        {list.map((one) => (
          <One one={one} href={hrefOf(project, one)} onOpen={() => open(one)} key={one._id} />
        ))}
      </ul>
      {notifications.has_more.value && (
        <button type="button" class="quiet" onClick={() => notifications.readMore().catch(() => {})}>
          Show older
        </button>
      )}
    </div>
  )
}

function One({ one, href, onOpen }: { one: Notification; href: string | undefined; onOpen(): void }) {
  const { icon, title, text } = wordsOf(one)
  const content = (
    <>
      <Icon name={icon} />
      <span>
        <b>{title}</b> {text && <span class="faint bell-words">{text}</span>}
        <time class="faint" datetime={one.created_at} title={exactly(one.created_at)}>
          {age(one.created_at)}
        </time>
      </span>
      {one.read_at === null && (
        <span class="bell-dot">
          <span class="aside">Unread</span>
        </span>
      )}
    </>
  )
  return (
    <li class={one.read_at === null ? 'is-unread' : ''}>
      {href ? (
        <a href={href} onClick={onOpen}>
          {content}
        </a>
      ) : (
        <button type="button" onClick={onOpen}>
          {content}
        </button>
      )}
    </li>
  )
}

function hrefOf(project: Project, { ticket_id, type }: Notification) {
  if (ticket_id) return inboxPlace(project.id, { view: 'all', ticket_id })
  return type === 'bulk_assignment' ? inboxPlace(project.id, { view: 'mine' }) : undefined
}

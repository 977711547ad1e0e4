/** The bell: what colleagues want from the agent, and what became of things the agent left to Parley. */
import { effect, untracked } from '@preact/signals'
import { html } from 'htm/preact'
import { useEffect } from 'preact/hooks'
import { faultOf } from '../data/errors.js'
import { inboxPlace, inboxPlaceOf } from '../inbox/places.js'
import { Empty } from '../ui/empty.js'
import { age, exactly } from '../ui/format.js'
import { Icon } from '../ui/icons.js'
import { Popover } from '../ui/popover.js'
import { toastFault } from '../ui/toast.js'
import { noticeOfMessage, showNotice } from './desktop_notices.js'
import { Notifications, wordsOf } from './notifications.js'
import { placeOf } from './places.js'

/** @typedef {import('../../page_types/inbox_records.ts').Notification} Notification */
/** @typedef {import('../data/project.js').Project} Project */

/**
 * @param {{ project: Project }} props
 */
export function Bell({ project }) {
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
  const shown = count > 99 ? '99+' : String(count)
  const button = html`<${Icon} name="bell" /> <span class="bell-text">Notifications</span>
    ${count > 0 && html` <span class="count">${shown}</span>`}`
  return html`<div class="bell">
    <${Popover}
      id="notifications"
      button=${button}
      label=${count > 0 ? `Notifications ${shown} unread` : 'Notifications'}
      class="quiet bell-button"
      key=${project.id}
    >
      ${(/** @type {() => void} */ close) => html`<${List} project=${project} notifications=${notifications} close=${close} />`}
    <//>
    <span class="aside" role="status">${count > 0 ? `${count} unread notifications` : ''}</span>
  </div>`
}

/**
 * Notifications of the ticket that is shown are read, unless the page is behind others.
 *
 * @param {Project} project
 * @param {Notifications} notifications
 */
function useSeen(project, notifications) {
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

/**
 * @param {{ project: Project, notifications: Notifications, close(): void }} props
 */
function List({ project, notifications, close }) {
  const list = notifications.list.value
  const failed = (/** @type {unknown} */ error) => toastFault('The notifications are still unread', faultOf(error))
  /** @param {Notification} one */
  const open = (one) => {
    notifications.markRead([one._id]).catch(failed)
    close()
  }
  return html`<div class="bell-panel">
    <div class="bell-head">
      <h2>Notifications</h2>
      <button
        type="button"
        class="link"
        hidden=${notifications.unread_count.value === 0}
        onClick=${() => notifications.markAllRead().catch(failed)}
      >
        Mark all as read
      </button>
    </div>
    ${list.length === 0 && html`<${Empty} icon="bell" title="Nothing new" text="When a colleague mentions you in a note or assigns a ticket to you, it appears here." />`}
    <ul>
      ${list.map((one) => html`<${One} one=${one} href=${hrefOf(project, one)} onOpen=${() => open(one)} key=${one._id} />`)}
    </ul>
    ${notifications.has_more.value && html`<button type="button" class="quiet" onClick=${() => notifications.readMore().catch(() => {})}>Show older</button>`}
  </div>`
}

/**
 * @param {{ one: Notification, href: string | undefined, onOpen(): void }} props
 */
function One({ one, href, onOpen }) {
  const { icon, title, text } = wordsOf(one)
  const content = html`<${Icon} name=${icon} />
    <span>
      <b>${title}</b> ${text && html`<span class="faint bell-words">${text}</span>`}
      <time class="faint" datetime=${one.created_at} title=${exactly(one.created_at)}>${age(one.created_at)}</time>
    </span>
    ${one.read_at === null && html`<span class="bell-dot"><span class="aside">Unread</span></span>`}`
  return html`<li class=${one.read_at === null ? 'is-unread' : ''}>
    ${href ? html`<a href=${href} onClick=${onOpen}>${content}</a>` : html`<button type="button" onClick=${onOpen}>${content}</button>`}
  </li>`
}

/**
 * @param {Project} project
 * @param {Notification} notification
 */
function hrefOf(project, { ticket_id, type }) {
  if (ticket_id) return inboxPlace(project.id, { view: 'all', ticket_id })
  return type === 'bulk_assignment' ? inboxPlace(project.id, { view: 'mine' }) : undefined
}

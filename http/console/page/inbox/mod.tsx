/**
 * The inbox: the list of tickets, the thread of one, and the panel beside it.
 *
 * Places: `#/projects/{id}/inbox/{view}/{ticket}`; `#/projects/{id}/inbox/contact/{contact}` leads to the open ticket of
 * a contact (`places.ts`).
 *
 * Parts in folders of their own are loaded when a thread is first shown (`thread/thread_parts.ts`):
 *
 *   `inbox/composer/mod.tsx` exports `Composer`, drawn below the thread, with `composer.css`,
 *   `inbox/panel/mod.tsx` exports `Panel`, drawn beside the thread, with `panel.css`.
 *
 * Both get `ThreadProps`. They are drawn anew for each ticket.
 */

import { useEffect, useMemo } from 'preact/hooks'
import type { PageProps } from '../core/section_page.ts'
import { inboxPlace, inboxPlaceOf, isSaved, requestOf, VIEWS } from '../crm/inbox_places.ts'
import { useActions } from '../ui/actions.ts'
import { lazy } from '../ui/lazy.tsx'
import { Empty } from '../ui/placeholders/empty.tsx'
import { Inbox } from './inbox.ts'
import { ListPane } from './list_pane.tsx'

const OpenContact = lazy(() => import('./open_contact.tsx').then((module) => module.OpenContact))
const ThreadPane = lazy(() => import('./thread/thread_pane.tsx').then((module) => module.ThreadPane))

function View({ console: core, project, place }: PageProps) {
  const inbox = project.part('inbox', () => new Inbox(project))
  const target = inboxPlaceOf(place)
  const { ticket_id, contact_id, message_id, view, filter } = target
  const saved = inbox.views.value?.list.value
  const request = requestOf(target, saved ?? [])
  const key = JSON.stringify(request)
  const is_known = contact_id === undefined && (saved !== undefined || !isSaved(view))
  useMemo(() => is_known && inbox.show(request, ticket_id), [inbox, key, ticket_id, is_known])
  useEffect(() => {
    import('./extras.ts').then(({ loadExtras }) => loadExtras(project, inbox), console.error)
  }, [project])
  const list = inbox.list.value

  useEffect(() => {
    core.title.value = 'Inbox'
  }, [core, ticket_id])

  const open = (id: string | undefined) => {
    location.hash = inboxPlace(project.id, { view, ticket_id: id, filter })
  }
  useActions(() => {
    const move = (step: number) => {
      const ids = list?.ids.peek() ?? []
      const at = ids.indexOf(ticket_id ?? '')
      const to = ids[at < 0 ? 0 : Math.max(0, Math.min(ids.length - 1, at + step))]
      if (to) open(to)
    }
    const ask = (mode: 'reply' | 'note') => {
      if (ticket_id) inbox.opening.value = { mode, ticket_id }
    }
    const views = VIEWS.map(({ view: one, name }) => ({
      text: `Show ${name.toLowerCase()} tickets`,
      group: 'Inbox',
      icon: 'filter' as const,
      act: () => {
        location.hash = inboxPlace(project.id, { view: one })
      },
    }))
    const in_thread = [
      { text: 'Reply', group: 'Ticket', icon: 'reply' as const, keys: 'r', act: () => ask('reply') },
      { text: 'Write a note', group: 'Ticket', icon: 'note' as const, keys: 'n', act: () => ask('note') },
      { text: 'Back to the list', group: 'Ticket', keys: 'u', act: () => open(undefined) },
    ]
    return [
      { text: 'Next ticket', group: 'Inbox', keys: 'j', act: () => move(1) },
      { text: 'Previous ticket', group: 'Inbox', keys: 'k', act: () => move(-1) },
      ...views,
      ...(ticket_id ? in_thread : []),
    ]
  }, [project, list, view, ticket_id, JSON.stringify(filter)])

  if (contact_id !== undefined) return <OpenContact project={project} contact_id={contact_id} />
  return (
    <div class="inbox" data-keeps-focus data-open={ticket_id ? '' : undefined}>
      {list && (
        <ListPane project={project} inbox={inbox} list={list} view={view} filter={filter} ticket_id={ticket_id} />
      )}
      {ticket_id ? (
        <ThreadPane
          console={core}
          project={project}
          inbox={inbox}
          ticket_id={ticket_id}
          message_id={message_id}
          onClose={() => open(undefined)}
        />
      ) : (
        <div class="inbox-none">
          <Empty
            icon="inbox"
            title="No ticket is open"
            text={list?.ids.value.length ? 'Choose one from the list, or move with j and k.' : undefined}
          />
        </div>
      )}
    </div>
  )
}

export const page = { View }

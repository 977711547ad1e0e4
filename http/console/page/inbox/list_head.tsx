/** The head of the list: its view, the search, the filters and the order. What opens there is loaded after the list. */

import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { inboxPlace, VIEWS } from '../crm/inbox_places.ts'
import type { InboxCount, InboxFilter } from '../records/inbox.ts'
import { number } from '../ui/format/format.ts'
import { useElement } from '../ui/hooks.ts'
import { lazy } from '../ui/lazy.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import type { ListProps } from './list_props.ts'

const ViewMenu = lazy(
  () => import('./list_tools.tsx').then((module) => module.ViewMenu),
  ({ children }: { children: ComponentChildren }) => <span class="quiet inbox-view">{children}</span>,
)
const ListTools = lazy(() => import('./list_tools.tsx').then((module) => module.ListTools))
const FilterChips = lazy(() => import('./filter_chips.tsx').then((module) => module.FilterChips))

/** Numbers that stand for that many or more. */
const MAX_TICKETS = 1000
const MAX_UNREAD = 100
/** Tickets of a saved view. */
const maxOf = (view: string) => (view.startsWith('view-') ? MAX_UNREAD : MAX_TICKETS)
const PAUSE_MS = 250

export function ListHead({ project, inbox, list, view, filter, ticket_id }: ListProps) {
  const counts: Record<string, InboxCount> = { ...inbox.counts.value, ...inbox.views.value?.counts.value }
  const saved = (inbox.views.value?.list.value ?? []).map((one) => ({ ...one, view: `view-${one._id}` }))
  const name = [...VIEWS, ...saved].find((one) => one.view === view)?.name ?? 'Saved view'
  const { sort, search, ...chosen } = filter
  const filters = Object.keys(chosen).length
  // Counts are of whole views. Below a filter they would be of other tickets than those shown.
  const is_part = filters > 0 || search
  const count = is_part ? undefined : counts[view]
  const countOf = (one: string) => counts[one] && many(counts[one].tickets, maxOf(one))
  const text = is_part ? `${number(list.ids.value.length)}${list.has_more.value ? '+' : ''}` : countOf(view)
  const go = (next: InboxFilter) => {
    location.hash = inboxPlace(project.id, { view, ticket_id, filter: next })
  }
  return (
    <div class="inbox-head">
      <div class="inbox-title">
        <h1 tabindex={-1} class="aside">
          Inbox
        </h1>
        <ViewMenu
          {...{ project, list, view, filter, ticket_id, saved, countOf }}
          label={`${name}${text ? ` ${text}` : ''}, change the view`}
        >
          <span>{name}</span> {text && <span class="tab-count">{text}</span>} <Icon name="down" />
        </ViewMenu>
        {count && count.unread > 0 && <span class="inbox-new">{many(count.unread, MAX_UNREAD)} unread</span>}
        <span class="inbox-tools">
          <ListTools project={project} filter={filter} filters={filters} go={go} />
        </span>
      </div>
      <Search search={search ?? ''} onSearch={(text) => go({ ...filter, search: text })} key={list.filter.view} />
      {filters > 0 && <FilterChips project={project} filter={filter} go={go} />}
    </div>
  )
}

function Search({ search, onSearch }: { search: string; onSearch(text: string): void }) {
  const field = useElement<HTMLInputElement>()
  const timer = useRef<number | undefined>(undefined)
  useEffect(() => {
    if (document.activeElement !== field.current) field.current.value = search
  }, [search])
  const input = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => onSearch(field.current.value.trim()), PAUSE_MS)
  }
  return (
    <div class="search inbox-search" role="search">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        placeholder="Name or phone"
        aria-label="Search the tickets by name or phone"
        autocomplete="off"
        maxlength={200}
        onInput={input}
      />
    </div>
  )
}

function many(count: number, most: number) {
  return count >= most ? `${number(most)}+` : number(count)
}

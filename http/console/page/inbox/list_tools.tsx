/** The menus that open from the head of the list: its views, the order and the filters. */

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { inboxPlace, VIEWS } from '../crm/inbox_places.ts'
import type { Project } from '../data/project.ts'
import type { InboxFilter } from '../records/inbox.ts'
import { lazy } from '../ui/lazy.tsx'
import { Menu } from '../ui/overlays/menu.tsx'
import { Popover } from '../ui/overlays/popover.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import { Filters } from './filters.tsx'
import type { InboxList } from './inbox_list.ts'
import type { SavedView } from './views.ts'

const ViewDialog = lazy(() => import('./view_dialog.tsx').then((module) => module.ViewDialog))

/** The views, and saving the list as one. `countOf` says how many tickets a view has, where that is known. */
export function ViewMenu({
  project,
  list,
  view,
  filter: { sort },
  ticket_id,
  saved,
  countOf,
  label,
  children,
}: {
  project: Project
  list: InboxList
  view: string
  filter: InboxFilter
  ticket_id: string | undefined
  saved: (SavedView & { view: string })[]
  countOf(view: string): string | undefined
  label: string
  children: ComponentChildren
}) {
  const [is_saving, setSaving] = useState<'new' | 'own' | null>(null)
  const own = saved.find((one) => one.view === view)
  const views = [...VIEWS, ...saved].map(({ view: one, name }) => {
    const count = countOf(one)
    return {
      text: count ? `${name} (${count})` : name,
      is_on: one === view,
      act: () => {
        location.hash = inboxPlace(project.id, { view: one, ticket_id, filter: { ...(sort && { sort }) } })
      },
    }
  })
  return (
    <>
      <Menu
        id="inbox-views"
        label={label}
        class="quiet inbox-view"
        items={[
          ...views,
          'line',
          { text: 'Save as a view…', icon: 'plus', act: () => setSaving('new') },
          ...(own ? [{ text: `Change ${own.name}…`, icon: 'edit' as const, act: () => setSaving('own') }] : []),
        ]}
        button={children}
      />
      {is_saving && (
        <ViewDialog
          project={project}
          filter={list.filter}
          saved={is_saving === 'own' ? own : undefined}
          onClose={() => setSaving(null)}
        />
      )}
    </>
  )
}

export function ListTools({
  project,
  filter,
  filters,
  go,
}: {
  project: Project
  filter: InboxFilter
  filters: number
  go(filter: InboxFilter): void
}) {
  const { sort } = filter
  return (
    <>
      <Menu
        id="inbox-order"
        label="Sort"
        title="Sort"
        class="quiet icon-button"
        button={<Icon name="sort" />}
        items={[
          { text: 'Latest first', is_on: sort !== 'waiting', act: () => go({ ...filter, sort: undefined }) },
          { text: 'Longest waiting first', is_on: sort === 'waiting', act: () => go({ ...filter, sort: 'waiting' }) },
        ]}
      />
      <Popover
        id="inbox-filters"
        label={filters > 0 ? `Filters, ${filters} in use` : 'Filters'}
        title="Filters"
        class={filters > 0 ? 'quiet icon-button is-on' : 'quiet icon-button'}
        button={<Icon name="filter" />}
      >
        {() => <Filters project={project} filter={filter} go={go} />}
      </Popover>
    </>
  )
}

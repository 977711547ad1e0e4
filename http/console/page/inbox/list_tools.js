/** The menus that open from the head of the list: its views, the order and the filters. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { Icon } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { Menu } from '../ui/menu.js'
import { Popover } from '../ui/popover.js'
import { Filters } from './filters.js'
import { inboxPlace, VIEWS } from './places.js'

/** @typedef {import('../../page_types/inbox.ts').InboxFilter} InboxFilter */

const ViewDialog = lazy(() => import('./view_dialog.js').then((module) => module.ViewDialog))

/**
 * The views, and saving the list as one. `countOf` says how many tickets a view has, where that is known.
 *
 * @param {{
 *   project: import('../data/project.js').Project
 *   list: import('./inbox_list.js').InboxList
 *   view: string
 *   filter: InboxFilter
 *   ticket_id: string | undefined
 *   saved: (import('./views.js').SavedView & { view: string })[]
 *   countOf(view: string): string | undefined
 *   label: string
 *   children: unknown
 * }} props
 */
export function ViewMenu({ project, list, view, filter: { sort }, ticket_id, saved, countOf, label, children }) {
  const [is_saving, setSaving] = useState(/** @type {'new' | 'own' | null} */ (null))
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
  return html`<${Menu}
      id="inbox-views"
      label=${label}
      class="quiet inbox-view"
      items=${[
        ...views,
        'line',
        { text: 'Save as a view…', icon: 'plus', act: () => setSaving('new') },
        ...(own ? [{ text: `Change ${own.name}…`, icon: 'edit', act: () => setSaving('own') }] : []),
      ]}
      button=${children}
    />
    ${is_saving && html`<${ViewDialog} project=${project} filter=${list.filter} saved=${is_saving === 'own' ? own : undefined} onClose=${() => setSaving(null)} />`}`
}

/**
 * @param {{ project: import('../data/project.js').Project, filter: InboxFilter, filters: number, go(filter: InboxFilter): void }} props
 */
export function ListTools({ project, filter, filters, go }) {
  const { sort } = filter
  return html`<${Menu}
      id="inbox-order"
      label="Sort"
      title="Sort"
      class="quiet icon-button"
      button=${html`<${Icon} name="sort" />`}
      items=${[
        { text: 'Latest first', is_on: sort !== 'waiting', act: () => go({ ...filter, sort: undefined }) },
        { text: 'Longest waiting first', is_on: sort === 'waiting', act: () => go({ ...filter, sort: 'waiting' }) },
      ]}
    />
    <${Popover}
      id="inbox-filters"
      label=${filters > 0 ? `Filters, ${filters} in use` : 'Filters'}
      title="Filters"
      class=${filters > 0 ? 'quiet icon-button is-on' : 'quiet icon-button'}
      button=${html`<${Icon} name="filter" />`}
    >
      ${() => html`<${Filters} project=${project} filter=${filter} go=${go} />`}
    <//>`
}

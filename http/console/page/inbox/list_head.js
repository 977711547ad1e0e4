/** The head of the list: its view, the search, the filters and the order. What opens there is loaded after the list. */
import { html } from 'htm/preact'
import { useEffect, useRef } from 'preact/hooks'
import { number } from '../ui/format.js'
import { useElement } from '../ui/hooks.js'
import { Icon } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { inboxPlace, VIEWS } from './places.js'

/** @typedef {import('../../page_types/inbox.ts').InboxFilter} InboxFilter */

const ViewMenu = lazy(
  () => import('./list_tools.js').then((module) => module.ViewMenu),
  (/** @type {{ children: unknown }} */ { children }) => html`<span class="quiet inbox-view">${children}</span>`,
)
const ListTools = lazy(() => import('./list_tools.js').then((module) => module.ListTools))
const FilterChips = lazy(() => import('./filter_chips.js').then((module) => module.FilterChips))

/** Numbers that stand for that many or more. */
const MAX_TICKETS = 1000
const MAX_UNREAD = 100
/** Tickets of a saved view. @param {string} view */
const maxOf = (view) => (view.startsWith('view-') ? MAX_UNREAD : MAX_TICKETS)
const PAUSE_MS = 250

/**
 * @param {import('./list_pane.js').ListProps} props
 */
export function ListHead({ project, inbox, list, view, filter, ticket_id }) {
  /** @type {Record<string, import('../../page_types/inbox.ts').InboxCount>} */
  const counts = { ...inbox.counts.value, ...inbox.views.value?.counts.value }
  const saved = (inbox.views.value?.list.value ?? []).map((one) => ({ ...one, view: `view-${one._id}` }))
  const name = [...VIEWS, ...saved].find((one) => one.view === view)?.name ?? 'Saved view'
  const { sort, search, ...chosen } = filter
  const filters = Object.keys(chosen).length
  // Counts are of whole views. Below a filter they would be of other tickets than those shown.
  const is_part = filters > 0 || search
  const count = is_part ? undefined : counts[view]
  /** @param {string} one */
  const countOf = (one) => counts[one] && many(counts[one].tickets, maxOf(one))
  const text = is_part ? `${number(list.ids.value.length)}${list.has_more.value ? '+' : ''}` : countOf(view)
  /** @param {InboxFilter} next */
  const go = (next) => {
    location.hash = inboxPlace(project.id, { view, ticket_id, filter: next })
  }
  return html`<div class="inbox-head">
    <div class="inbox-title">
      <h1 tabindex="-1" class="aside">Inbox</h1>
      <${ViewMenu} ...${{ project, list, view, filter, ticket_id, saved, countOf }} label="${name}${text ? ` ${text}` : ''}, change the view">
        <span>${name}</span>${' '} ${text && html`<span class="tab-count">${text}</span>`} <${Icon} name="down" />
      <//>
      ${count && count.unread > 0 && html`<span class="inbox-new">${many(count.unread, MAX_UNREAD)} unread</span>`}
      <span class="inbox-tools">
        <${ListTools} project=${project} filter=${filter} filters=${filters} go=${go} />
      </span>
    </div>
    <${Search} search=${search ?? ''} onSearch=${(/** @type {string} */ text) => go({ ...filter, search: text })} key=${list.filter.view} />
    ${filters > 0 && html`<${FilterChips} project=${project} filter=${filter} go=${go} />`}
  </div>`
}

/**
 * @param {{ search: string, onSearch(text: string): void }} props
 */
function Search({ search, onSearch }) {
  /** @type {import('preact').RefObject<HTMLInputElement>} */
  const field = useElement()
  const timer = useRef(/** @type {number | undefined} */ (undefined))
  useEffect(() => {
    if (document.activeElement !== field.current) field.current.value = search
  }, [search])
  const input = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => onSearch(field.current.value.trim()), PAUSE_MS)
  }
  return html`<div class="search inbox-search" role="search">
    <${Icon} name="search" />
    <input
      ref=${field}
      type="search"
      placeholder="Name or phone"
      aria-label="Search the tickets by name or phone"
      autocomplete="off"
      maxlength="200"
      onInput=${input}
    />
  </div>`
}

/**
 * @param {number} count
 * @param {number} most
 */
function many(count, most) {
  return count >= most ? `${number(most)}+` : number(count)
}

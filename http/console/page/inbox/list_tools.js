/** The order and the filters of the list. */
import { html } from 'htm/preact'
import { Icon } from '../ui/icons.js'
import { Menu } from '../ui/menu.js'
import { Popover } from '../ui/popover.js'
import { Filters } from './filters.js'

/** @typedef {import('../../page_types/inbox.ts').InboxFilter} InboxFilter */

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

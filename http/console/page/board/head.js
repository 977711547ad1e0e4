/** The head of a board: its pipeline, what it adds up to, and the filters. */
import { html } from 'htm/preact'
import { useEffect, useRef } from 'preact/hooks'
import { useActions } from '../app/actions.js'
import { amountText } from '../inbox/panel/amount.js'
import { PRIORITIES } from '../inbox/panel/words.js'
import { number } from '../ui/format.js'
import { useElement } from '../ui/hooks.js'
import { Icon } from '../ui/icons.js'
import { Menu } from '../ui/menu.js'
import { boardPlace } from './places.js'

/** @typedef {import('../../page_types/board.ts').BoardFilter} BoardFilter */
/** @typedef {import('../../page_types/definitions.ts').Definitions['pipelines'][number]} Pipeline */

const PAUSE_MS = 250

/**
 * @param {{
 *   project: import('../data/project.js').Project
 *   board: import('./board.js').Board
 *   pipeline: Pipeline
 *   pipelines: Pipeline[]
 *   filter: BoardFilter
 * }} props
 */
export function Head({ project, board, pipeline, pipelines, filter }) {
  const definitions = project.definitions.value
  /** @param {{ [Field in keyof BoardFilter]: string | undefined }} change */
  const go = (change) => {
    location.hash = boardPlace(project.id, pipeline._id, { ...filter, ...change })
  }
  const clear = () => {
    location.hash = boardPlace(project.id, pipeline._id, {})
  }
  const is_filtered = Object.keys(filter).length > 0
  const is_mine = filter.assigned_to === project.user._id
  const users = (definitions?.users ?? []).filter(({ is_active }) => is_active)
  useActions(
    () => [
      ...pipelines.map(({ _id, name }) => ({
        text: `Show the board of ${name}`,
        group: 'Board',
        icon: /** @type {const} */ ('board'),
        act: () => {
          location.hash = boardPlace(project.id, _id, filter)
        },
      })),
      {
        text: is_mine ? 'Show the cards of all agents' : 'Show only my cards',
        group: 'Board',
        icon: 'filter',
        keys: 'q',
        act: () => go({ assigned_to: is_mine ? undefined : project.user._id }),
      },
      ...(is_filtered
        ? [{ text: 'Clear the filters', group: 'Board', icon: /** @type {const} */ ('filter'), act: clear }]
        : []),
    ],
    [project, pipeline._id, pipelines, JSON.stringify(filter)],
  )
  const assignees = [
    { value: project.user._id, text: 'Me' },
    { value: 'none', text: 'Nobody' },
    ...users
      .filter(({ _id }) => _id !== project.user._id)
      .map(({ _id, full_name }) => ({ value: _id, text: full_name })),
  ]
  const tags = (definitions?.tags ?? []).map(({ _id, name }) => ({ value: _id, text: name }))
  return html`<div class="board-head">
    <div class="board-title">
      <h1 tabindex="-1" data-focus>${pipelines.length > 1 ? html`<span class="aside">Board: ${pipeline.name}</span>` : pipeline.name}</h1>
      ${
        pipelines.length > 1 &&
        html`<${Menu}
          id="board-pipelines"
          label="${pipeline.name}, change the pipeline"
          class="quiet board-pipeline"
          button=${html`<span>${pipeline.name}</span> <${Icon} name="down" />`}
          items=${pipelines.map(({ _id, name }) => ({
            text: name,
            is_on: _id === pipeline._id,
            act: () => {
              location.hash = boardPlace(project.id, _id, filter)
            },
          }))}
        />`
      }
      <${Sum} board=${board} />
    </div>
    <div class="board-filters" role="search" aria-label="Filters of the board">
      <${Search} search=${filter.search ?? ''} onSearch=${(/** @type {string} */ search) => go({ search })} />
      <${Filter} label="Assignee" value=${filter.assigned_to} options=${assignees} onChange=${(/** @type {string} */ assigned_to) => go({ assigned_to })} />
      ${tags.length > 0 && html`<${Filter} label="Tag" value=${filter.tag_id} options=${tags} onChange=${(/** @type {string} */ tag_id) => go({ tag_id })} />`}
      <${Filter} label="Priority" value=${filter.priority} options=${PRIORITIES} onChange=${(/** @type {string} */ priority) => go({ priority })} />
      ${is_filtered && html`<button type="button" class="quiet board-clear" onClick=${clear}><${Icon} name="close" /> Clear</button>`}
    </div>
  </div>`
}

/**
 * The tickets of all stages, and their amounts.
 *
 * @param {{ board: import('./board.js').Board }} props
 */
function Sum({ board }) {
  const totals = [...board.totals.value.values()]
  if (totals.length === 0) return null
  const tickets = totals.reduce((sum, total) => sum + total.tickets, 0)
  /** @type {Map<string | null, number>} */
  const sums = new Map()
  for (const { currency, amount } of totals.flatMap(({ amounts }) => amounts))
    sums.set(currency, (sums.get(currency) ?? 0) + amount)
  const texts = [...sums].map(([currency, amount]) => amountText(amount, currency))
  return html`<p class="board-sum faint">
    ${tickets === 1 ? '1 open ticket' : `${number(tickets)} open tickets`}${texts.length > 0 && html` · <span>${texts.join(' + ')}</span>`}
  </p>`
}

/**
 * @param {{ label: string, value: string | undefined, options: { value: string, text: string }[], onChange(value: string): void }} props
 */
function Filter({ label, value = '', options, onChange }) {
  return html`<span class=${value ? 'select board-filter is-on' : 'select board-filter'}>
    <select
      aria-label=${label}
      value=${value}
      onChange=${(/** @type {{ target: HTMLSelectElement }} */ { target }) => onChange(target.value)}
    >
      <option value="">${label}: any</option>
      ${options.map((option) => html`<option value=${option.value} key=${option.value}>${option.text}</option>`)}
    </select>
    <${Icon} name="down" />
  </span>`
}

/**
 * @param {{ search: string, onSearch(text: string): void }} props
 */
function Search({ search, onSearch }) {
  /** @type {import('preact').RefObject<HTMLInputElement>} */
  const field = useElement()
  const timer = useRef(/** @type {number | undefined} */ (undefined))
  /** Other filters may change while the agent types. */
  const latest = useRef(onSearch)
  latest.current = onSearch
  useEffect(() => {
    if (document.activeElement !== field.current) field.current.value = search
  }, [search])
  useActions(
    () => [{ text: 'Search the board', group: 'Board', icon: 'search', keys: '/', act: () => field.current.focus() }],
    [],
  )
  const input = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => latest.current(field.current.value.trim()), PAUSE_MS)
  }
  return html`<div class="search board-search">
    <${Icon} name="search" />
    <input
      ref=${field}
      type="search"
      placeholder="Name or phone"
      aria-label="Search the cards by name or phone"
      autocomplete="off"
      maxlength="200"
      onInput=${input}
    />
  </div>`
}

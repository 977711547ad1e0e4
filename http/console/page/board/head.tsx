/** The head of a board: its pipeline, what it adds up to, and the filters. */

import { useEffect, useRef } from 'preact/hooks'
import { amountText } from '../crm/record/amount.ts'
import { PRIORITIES } from '../crm/record/words.ts'
import type { Project } from '../data/project.ts'
import type { Definitions } from '../records/definitions.ts'
import { useActions } from '../ui/actions.ts'
import { number } from '../ui/format/format.ts'
import { useElement } from '../ui/hooks.ts'
import { Menu } from '../ui/overlays/menu.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import type { Board } from './board.ts'
import { boardPlace } from './places.ts'
import type { BoardFilter } from './records.ts'

type Pipeline = Definitions['pipelines'][number]

const PAUSE_MS = 250

export function Head({
  project,
  board,
  pipeline,
  pipelines,
  filter,
}: {
  project: Project
  board: Board
  pipeline: Pipeline
  pipelines: Pipeline[]
  filter: BoardFilter
}) {
  const definitions = project.definitions.value
  const go = (change: { [Field in keyof BoardFilter]: string | undefined }) => {
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
        icon: 'board' as const,
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
      ...(is_filtered ? [{ text: 'Clear the filters', group: 'Board', icon: 'filter' as const, act: clear }] : []),
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
  return (
    <div class="board-head">
      <div class="board-title">
        <h1 tabindex={-1} data-focus>
          {pipelines.length > 1 ? <span class="aside">Board: {pipeline.name}</span> : pipeline.name}
        </h1>
        {pipelines.length > 1 && (
          <Menu
            id="board-pipelines"
            label={`${pipeline.name}, change the pipeline`}
            class="quiet board-pipeline"
            button={
              <>
                <span>{pipeline.name}</span> <Icon name="down" />
              </>
            }
            items={pipelines.map(({ _id, name }) => ({
              text: name,
              is_on: _id === pipeline._id,
              act: () => {
                location.hash = boardPlace(project.id, _id, filter)
              },
            }))}
          />
        )}
        <Sum board={board} />
      </div>
      <div class="board-filters" role="search" aria-label="Filters of the board">
        <Search search={filter.search ?? ''} onSearch={(search) => go({ search })} />
        <Filter
          label="Assignee"
          value={filter.assigned_to}
          options={assignees}
          onChange={(assigned_to) => go({ assigned_to })}
        />
        {tags.length > 0 && (
          <Filter label="Tag" value={filter.tag_id} options={tags} onChange={(tag_id) => go({ tag_id })} />
        )}
        <Filter
          label="Priority"
          value={filter.priority}
          options={PRIORITIES}
          onChange={(priority) => go({ priority })}
        />
        {is_filtered && (
          <button type="button" class="quiet board-clear" onClick={clear}>
            <Icon name="close" /> Clear
          </button>
        )}
      </div>
    </div>
  )
}

/** The tickets of all stages, and their amounts. */
function Sum({ board }: { board: Board }) {
  const totals = [...board.totals.value.values()]
  if (totals.length === 0) return null
  const tickets = totals.reduce((sum, total) => sum + total.tickets, 0)
  const sums = new Map<string | null, number>()
  for (const { currency, amount } of totals.flatMap(({ amounts }) => amounts))
    sums.set(currency, (sums.get(currency) ?? 0) + amount)
  const texts = [...sums].map(([currency, amount]) => amountText(amount, currency))
  return (
    <p class="board-sum faint">
      {tickets === 1 ? '1 open ticket' : `${number(tickets)} open tickets`}
      {texts.length > 0 && (
        <>
          {' '}
          · <span>{texts.join(' + ')}</span>
        </>
      )}
    </p>
  )
}

function Filter({
  label,
  value = '',
  options,
  onChange,
}: {
  label: string
  value: string | undefined
  options: readonly { value: string; text: string }[]
  onChange(value: string): void
}) {
  return (
    <span class={value ? 'select board-filter is-on' : 'select board-filter'}>
      <select aria-label={label} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">{label}: any</option>
        {options.map((option) => (
          <option value={option.value} key={option.value}>
            {option.text}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </span>
  )
}

function Search({ search, onSearch }: { search: string; onSearch(text: string): void }) {
  const field = useElement<HTMLInputElement>()
  const timer = useRef<number | undefined>(undefined)
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
  return (
    <div class="search board-search">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        placeholder="Name or phone"
        aria-label="Search the cards by name or phone"
        autocomplete="off"
        maxlength={200}
        onInput={input}
      />
    </div>
  )
}

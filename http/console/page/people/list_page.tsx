/** The list of contacts or of customers. */

import type { TargetedEvent, TargetedKeyboardEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { CHANNEL_TYPES, nameOfChannel } from '../crm/channels.ts'
import type { Project } from '../data/project.ts'
import { useActions } from '../ui/actions.ts'
import { number } from '../ui/format/format.ts'
import { useElement } from '../ui/hooks.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { Empty } from '../ui/placeholders/empty.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { useWindow } from '../ui/window.ts'
import { ROW_HEIGHT, Row } from './list_row.tsx'
import { NewPerson } from './new_person.tsx'
import type { PeopleList } from './people_list.ts'
import { type Kind, type PeopleFilter, peoplePlace } from './places.ts'

type ListProps = {
  project: Project
  list: PeopleList
  kind: Kind
  filter: PeopleFilter
}

const PAUSE_MS = 250

export function ListPage({ project, list, kind, filter }: ListProps) {
  const [is_making, setMaking] = useState(false)
  const is_contact = kind === 'contact'
  const noun = is_contact ? 'contact' : 'customer'
  useActions(
    () => [
      {
        text: 'New contact',
        group: 'Contacts',
        icon: 'plus',
        keys: is_contact ? 'n' : undefined,
        act: () => makeOf('contact'),
      },
      {
        text: 'New customer',
        group: 'Contacts',
        icon: 'plus',
        keys: is_contact ? undefined : 'n',
        act: () => makeOf('customer'),
      },
      { text: 'Show contacts', group: 'Contacts', icon: 'contacts', act: () => goTo('contact') },
      { text: 'Show customers', group: 'Contacts', icon: 'person', act: () => goTo('customer') },
    ],
    [project, kind],
  )
  const goTo = (one: Kind) => {
    location.hash = peoplePlace(project.id, one)
  }
  const makeOf = (one: Kind) => {
    if (one !== kind) goTo(one)
    setMaking(true)
  }
  const tabs = (['contact', 'customer'] as const).map((one) => ({
    text: one === 'contact' ? 'Contacts' : 'Customers',
    href: peoplePlace(project.id, one, undefined, filter.search ? { search: filter.search } : {}),
    is_current: one === kind,
    count: one === kind && list.state.value === 'ready' ? list.total.value : undefined,
  }))
  return (
    <div class="people">
      <div class="people-head">
        <div class="page-head">
          <h1 tabindex={-1} data-focus>
            {is_contact ? 'Contacts' : 'Customers'}
          </h1>
          <button type="button" class="button primary" onClick={() => setMaking(true)}>
            <Icon name="plus" /> New {noun}
          </button>
        </div>
        <div class="people-tools">
          <Tabs label="Kinds of people" tabs={tabs} />
          <div class="people-filters">
            <Search project={project} kind={kind} filter={filter} key={kind} />
            {is_contact && <ChannelFilter project={project} filter={filter} />}
          </div>
        </div>
      </div>
      <Rows
        project={project}
        list={list}
        kind={kind}
        filter={filter}
        onNew={() => setMaking(true)}
        key={`${kind} ${JSON.stringify(filter)}`}
      />
      {is_making && <NewPerson project={project} kind={kind} onClose={() => setMaking(false)} />}
    </div>
  )
}

function Search({ project, kind, filter }: { project: Project; kind: Kind; filter: PeopleFilter }) {
  const field = useElement<HTMLInputElement>()
  const timer = useRef<number | undefined>(undefined)
  const search = filter.search ?? ''
  /** The filter may change while the agent types. */
  const latest = useRef(filter)
  latest.current = filter
  useEffect(() => {
    if (document.activeElement !== field.current) field.current.value = search
  }, [search])
  useActions(
    () => [{ text: 'Search people', group: 'Contacts', icon: 'search', keys: '/', act: () => field.current.focus() }],
    [],
  )
  const input = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      location.hash = peoplePlace(project.id, kind, undefined, {
        ...latest.current,
        search: field.current.value.trim(),
      })
    }, PAUSE_MS)
  }
  const by = kind === 'contact' ? 'Name, phone or id' : 'Name or e-mail'
  return (
    <div class="search" role="search">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        placeholder={by}
        aria-label={`Search by ${by.toLowerCase()}`}
        autocomplete="off"
        maxlength={200}
        onInput={input}
      />
    </div>
  )
}

function ChannelFilter({ project, filter }: { project: Project; filter: PeopleFilter }) {
  const used = new Set(project.definitions.value?.channels.map(({ channel_type }) => channel_type))
  const types = CHANNEL_TYPES.filter((type) => used.has(type) || type === filter.channel_type)
  const changed = ({ currentTarget }: TargetedEvent<HTMLSelectElement>) => {
    location.hash = peoplePlace(project.id, 'contact', undefined, { ...filter, channel_type: currentTarget.value })
  }
  return (
    <span class="select people-channel">
      <select aria-label="Channel" value={filter.channel_type ?? ''} onChange={changed}>
        <option value="">Channel: any</option>
        {types.map((type) => (
          <option value={type} key={type}>
            {nameOfChannel(type)}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </span>
  )
}

function Rows({ project, list, kind, filter, onNew }: ListProps & { onNew(): void }) {
  const scroller = useElement<HTMLDivElement>()
  const total = list.total.value
  const state = list.state.value
  const { first, end } = useWindow(scroller, total, ROW_HEIGHT)
  useEffect(() => {
    if (state === 'ready' && end > first) list.need(first, end)
  }, [list, state, first, end, total])
  useLayoutEffect(() => {
    const { current } = scroller
    current.scrollTop = list.scrolled_to
    const remember = () => {
      list.scrolled_to = current.scrollTop
    }
    current.addEventListener('scroll', remember, { passive: true })
  }, [list, state])
  const places = Array.from({ length: Math.max(0, end - first) }, (_, n) => first + n)
  return (
    <div class="people-rows card" ref={scroller} tabindex={-1}>
      {total > 0 && <Columns kind={kind} />}
      {state === 'loading' && <Waiting label="Loading people" rows={6} />}
      {state === 'failed' && (
        <Trouble title="The list could not be loaded" error={list.fault.value} onRetry={() => list.retry()} />
      )}
      {state === 'ready' && total === 0 && <Nobody kind={kind} filter={filter} onNew={onNew} />}
      <ol class="virtual" style={{ height: `${total * ROW_HEIGHT}px` }} onKeyDown={moved}>
        {places.map((at) => {
          const id = list.idAt(at)
          const style = { transform: `translateY(${at * ROW_HEIGHT}px)` }
          return (
            <li class="people-row" style={style} aria-setsize={total} aria-posinset={at + 1} key={id ?? at}>
              {id ? (
                <Row project={project} kind={kind} id={id} />
              ) : (
                <span class="blank">
                  <i></i>
                </span>
              )}
            </li>
          )
        })}
      </ol>
      <p class="aside" role="status">
        {state === 'ready' ? `${number(total)} found` : ''}
      </p>
    </div>
  )
}

/** Heads of the columns. For screen readers each row says what it has. */
function Columns({ kind }: { kind: Kind }) {
  const names =
    kind === 'contact' ? ['Phone or id', '', 'Channel', 'Seen'] : ['E-mail and phone', 'Tags', '', 'Created']
  return (
    <div class="people-columns" aria-hidden="true">
      <span></span>
      <span>Name</span>
      {names.map((name) => (
        <span class={name === names.at(-1) ? 'people-when' : ''} key={name}>
          {name}
        </span>
      ))}
    </div>
  )
}

function Nobody({ kind, filter, onNew }: { kind: Kind; filter: PeopleFilter; onNew(): void }) {
  if (Object.keys(filter).length > 0)
    return <Empty icon="search" title="Nobody matches" text="Try a part of the name, or remove the filter." />
  const is_contact = kind === 'contact'
  const text = is_contact
    ? 'People who write on a channel appear here by themselves.'
    : 'A customer is a person as the company knows them, with one contact for each channel.'
  return (
    <Empty icon="contacts" title={is_contact ? 'No contacts yet' : 'No customers yet'} text={text}>
      <button type="button" class="button" onClick={onNew}>
        <Icon name="plus" /> New {kind}
      </button>
    </Empty>
  )
}

/** Arrow keys go from row to row. */
function moved(event: TargetedKeyboardEvent<HTMLElement>) {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  const links: HTMLElement[] = [...event.currentTarget.querySelectorAll('a.people-name' as 'a')]
  const to = links[links.indexOf(document.activeElement as HTMLElement) + step]
  if (!to) return
  event.preventDefault()
  to.focus()
}

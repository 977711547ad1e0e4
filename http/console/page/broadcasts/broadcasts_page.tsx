/** The broadcasts of a project. */

import { Component } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Broadcast, BroadcastFilter } from '../records/broadcast.ts'
import { number } from '../ui/format/format.ts'
import { Moment } from '../ui/format/moment.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import { Tabs } from '../ui/tabs.tsx'
import type { BroadcastList } from './broadcast_list.ts'
import { HowToSend } from './how_to_send.tsx'
import { broadcastPlace, broadcastsPlace, newBroadcastPlace, templatesPlace } from './places.ts'
import { Bar, Counts } from './progress.tsx'
import { nameOf, STATUSES } from './records.ts'
import { Badge, statusWord } from './words.tsx'

/** Pause in typing after which the list is searched. */
const TYPING_PAUSE_MS = 250

export function BroadcastsPage({ list, channels }: { list: BroadcastList; channels: ReadonlyMap<string, string> }) {
  useEffect(() => {
    // Applies to the list being left, which the user may come back to.
    const remember = () => {
      list.scrolled_to = scrollY
    }
    addEventListener('scroll', remember, { passive: true })
    return () => removeEventListener('scroll', remember)
  }, [list])
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabindex={-1}>Broadcasts</h1>
        <a class="button" href={templatesPlace(list.project_id)}>
          <Icon name="template" /> Templates
        </a>
        <a class="button primary" href={newBroadcastPlace(list.project_id)}>
          <Icon name="plus" /> New broadcast
        </a>
      </div>
      {!isNew(list) && <Filters list={list} />}
      <Results list={list} channels={channels} />
    </div>
  )
}

/** True when the project has no broadcasts at all, so there is nothing to filter. */
function isNew({ state, broadcasts, filter }: BroadcastList) {
  return state === 'ready' && broadcasts.length === 0 && Object.keys(filter).length === 0
}

function Filters({ list: { project_id, filter } }: { list: BroadcastList }) {
  const { status, search = '' } = filter
  const [text, setText] = useState(search)
  const last_search = useRef(search)
  // The address was changed by something else, such as going back.
  useEffect(() => {
    if (last_search.current !== search) setText(search)
    last_search.current = search
  }, [search])
  useEffect(() => {
    const query = text.trim()
    if (query === last_search.current) return
    const timer = setTimeout(() => {
      const to = broadcastsPlace(project_id, { status, search: query })
      // One step back leads to before the search, however much was typed.
      if (last_search.current === '') location.hash = to
      else location.replace(to)
      last_search.current = query
    }, TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, status])
  return (
    <div class="filters">
      <Tabs
        label="Status"
        tabs={[undefined, ...STATUSES].map((one) => ({
          text: one ? statusWord(one) : 'All',
          href: broadcastsPlace(project_id, { status: one, search }),
          is_current: one === status,
        }))}
      />
      <div class="search" role="search">
        <Icon name="search" />
        <input
          type="search"
          maxlength={200}
          placeholder="Search by name"
          aria-label="Search by a part of the name"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </div>
    </div>
  )
}

function Results({ list, channels }: { list: BroadcastList; channels: ReadonlyMap<string, string> }) {
  const { state, error, broadcasts, filter, project_id } = list
  if (isNew(list)) return <HowToSend project_id={project_id} />
  if (state === 'loading') return <Waiting label="Loading broadcasts" rows={6} />
  if (state === 'failed') {
    return <Trouble title="The broadcasts could not be loaded" error={error} onRetry={() => list.retry()} />
  }
  if (broadcasts.length === 0) return <NoMatch filter={filter} id={project_id} />
  return (
    <>
      <div class="card rows">
        <div class="row row-heads" aria-hidden="true">
          <span>Campaign</span>
          <span>Status</span>
          <span>Progress</span>
          <span>Started</span>
        </div>
        <ol>
          {broadcasts.map((one) => (
            <Row broadcast={one} channel={channels.get(one.channel_id)} project_id={project_id} key={one.id} />
          ))}
        </ol>
      </div>
      <More list={list} />
    </>
  )
}

/** Redraws a row only when its own record changes, so that the others of a long list cost nothing. */
type RowProps = { broadcast: Broadcast; channel: string | undefined; project_id: string }
class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps) {
    return next.broadcast !== this.props.broadcast || next.channel !== this.props.channel
  }

  override render({ broadcast, channel, project_id }: RowProps) {
    const { id, status, campaign_name, template_name, language, total, started_at, sender_name } = broadcast
    const what = campaign_name ? `${template_name} · ${language}` : language
    const people = total === 1 ? '1 recipient' : `${number(total)} recipients`
    return (
      <li class="row">
        <div class="row-name">
          <a id={id} href={broadcastPlace(project_id, id)}>
            {nameOf(broadcast)}
          </a>
          <p class="faint">
            {[what, channel, people, sender_name].filter(Boolean).map((part, index) => (
              <>
                {index > 0 && ' · '}
                <bdi>{part}</bdi>
              </>
            ))}
          </p>
        </div>
        <div class="row-status">
          <Badge status={status} paused_reason={broadcast.paused_reason} />
        </div>
        <div class="row-progress">
          <Bar broadcast={broadcast} />
          <Counts broadcast={broadcast} />
        </div>
        <div class="row-when">
          <Moment at={started_at} />
        </div>
      </li>
    )
  }
}

/** Loads the next page when its button comes into view, or is pressed. */
function More({ list }: { list: BroadcastList }) {
  const button = useRef<HTMLButtonElement>(null)
  const [is_seen, setSeen] = useState(false)
  const { hasMore, is_loading_more, more_error } = list
  useEffect(() => {
    if (!button.current) return setSeen(false)
    const observer = new IntersectionObserver((seen) => setSeen(seen.at(-1)?.isIntersecting ?? false), {
      rootMargin: '400px',
    })
    observer.observe(button.current)
    return () => observer.disconnect()
  }, [list, hasMore, more_error])
  // Checked with each drawing: a short page may leave the button in view.
  useEffect(() => {
    if (is_seen && hasMore && !is_loading_more && !more_error) void list.readMore()
  })
  if (!hasMore) return null
  if (more_error) {
    return <Trouble title="Older broadcasts could not be loaded" error={more_error} onRetry={() => list.readMore()} />
  }
  return (
    <div class="more">
      <button type="button" class="button" ref={button} aria-busy={is_loading_more} onClick={() => list.readMore()}>
        {is_loading_more ? 'Loading…' : 'Show older'}
      </button>
    </div>
  )
}

function NoMatch({ filter: { status, search }, id }: { filter: BroadcastFilter; id: string }) {
  const which = status ? `${statusWord(status).toLowerCase()} broadcast` : 'broadcast'
  return (
    <div class="card nothing">
      <h2>
        No {which} {search ? <>has “{search}” in its name</> : 'right now'}
      </h2>
      <a class="button" href={broadcastsPlace(id)}>
        Show all broadcasts
      </a>
    </div>
  )
}

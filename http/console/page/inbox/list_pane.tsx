/** The list of the inbox: its views and filters, and the tickets. */

import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { useElement } from '../ui/hooks.ts'
import { lazy } from '../ui/lazy.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import { useWindow } from '../ui/window.ts'
import { ListHead } from './list_head.tsx'
import type { ListProps } from './list_props.ts'
import { ROW_HEIGHT, Row } from './row.tsx'

const NoTickets = lazy(() => import('./no_tickets.tsx').then((module) => module.NoTickets))
const BulkBar = lazy(() => import('./bulk_bar.tsx').then((module) => module.BulkBar))

/** Rows before the end of the list at which the next page is read. */
const AHEAD = 12

export function ListPane(props: ListProps) {
  const { inbox, list } = props
  return (
    <section class="inbox-list" aria-label="Tickets">
      <ListHead {...props} />
      {inbox.chosen.value.size > 0 && <BulkBar {...props} />}
      <Tickets {...props} key={JSON.stringify(list.filter)} />
    </section>
  )
}

function Tickets({ project, inbox, list, view, filter, ticket_id }: ListProps) {
  const scroller = useElement<HTMLDivElement>()
  const ids = list.ids.value
  const [focused, setFocused] = useState<string | undefined>(undefined)
  const state = list.state.value
  const { first, end } = useWindow(scroller, ids.length, ROW_HEIGHT)
  const has_more = list.has_more.value && !list.more_fault.value
  useEffect(() => {
    if (has_more && end + AHEAD >= ids.length) void list.readMore()
  }, [list, has_more, end, ids.length])
  useLayoutEffect(() => {
    scroller.current.scrollTop = list.scrolled_to
    const remember = () => {
      list.scrolled_to = scroller.current?.scrollTop ?? 0
    }
    scroller.current.addEventListener('scroll', remember, { passive: true })
  }, [list])
  // The open ticket is in view, also after the agent moved by the keyboard.
  useEffect(() => {
    const at = ids.indexOf(ticket_id ?? '')
    if (at < 0) return
    const { current } = scroller
    const top = at * ROW_HEIGHT
    if (top < current.scrollTop) current.scrollTop = top
    else if (top + ROW_HEIGHT > current.scrollTop + current.clientHeight)
      current.scrollTop = top + ROW_HEIGHT - current.clientHeight
  }, [ticket_id])

  const visible = ids.slice(first, end)
  const stop = [focused, ticket_id].find((id) => id !== undefined && visible.includes(id)) ?? visible[0]
  const follow = ({ target }: FocusEvent) =>
    setFocused(target instanceof Element ? target.closest('li')?.querySelector('a')?.id : undefined)
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const id = step && stop && ids[ids.indexOf(stop) + step]
    if (!id) return
    event.preventDefault()
    document.getElementById(id)?.focus()
  }
  const is_choosing = inbox.chosen.value.size > 0
  return (
    <div class="inbox-scroller" ref={scroller} tabindex={-1}>
      {state === 'loading' && <Waiting label="Loading the tickets" rows={8} />}
      {state === 'failed' && (
        <Trouble title="The tickets could not be loaded" error={list.fault.value} onRetry={() => list.retry()} />
      )}
      {state === 'ready' && ids.length === 0 && <NoTickets project={project} view={view} filter={filter} />}
      <ol
        class={is_choosing ? 'virtual is-choosing' : 'virtual'}
        onFocusIn={follow}
        onKeyDown={walk}
        style={{ height: `${ids.length * ROW_HEIGHT}px` }}
      >
        {visible.map((id, at) => {
          const row = list.row(id)
          return (
            row && (
              <Row
                row={row}
                top={(first + at) * ROW_HEIGHT}
                place={first + at}
                count={ids.length}
                project={project}
                inbox={inbox}
                view={view}
                filter={filter}
                is_open={id === ticket_id}
                is_stop={id === stop}
                key={id}
              />
            )
          )
        })}
      </ol>
      {list.more_fault.value && (
        <Trouble
          title="More tickets could not be loaded"
          error={list.more_fault.value}
          onRetry={() => list.readMore()}
        />
      )}
    </div>
  )
}

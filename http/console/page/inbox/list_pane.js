/** The list of the inbox: its views and filters, and the tickets. */
import { html } from 'htm/preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { useElement } from '../ui/hooks.js'
import { lazy } from '../ui/lazy.js'
import { Trouble } from '../ui/trouble.js'
import { Waiting } from '../ui/waiting.js'
import { useWindow } from '../ui/window.js'
import { ListHead } from './list_head.js'
import { ROW_HEIGHT, Row } from './row.js'

/** @typedef {import('../../page_types/inbox.ts').InboxFilter} InboxFilter */
/**
 * @typedef {{
 *   project: import('../data/project.js').Project
 *   inbox: import('./inbox.js').Inbox
 *   list: import('./inbox_list.js').InboxList
 *   view: string
 *   filter: InboxFilter
 *   ticket_id: string | undefined
 * }} ListProps
 */

const NoTickets = lazy(() => import('./no_tickets.js').then((module) => module.NoTickets))
const BulkBar = lazy(() => import('./bulk_bar.js').then((module) => module.BulkBar))

/** Rows before the end of the list at which the next page is read. */
const AHEAD = 12

/**
 * @param {ListProps} props
 */
export function ListPane(props) {
  const { inbox, list } = props
  return html`<section class="inbox-list" aria-label="Tickets">
    <${ListHead} ...${props} />
    ${inbox.chosen.value.size > 0 && html`<${BulkBar} ...${props} />`}
    <${Tickets} ...${props} key=${JSON.stringify(list.filter)} />
  </section>`
}

/**
 * @param {ListProps} props
 */
function Tickets({ project, inbox, list, view, filter, ticket_id }) {
  /** @type {import('preact').RefObject<HTMLElement>} */
  const scroller = useElement()
  const ids = list.ids.value
  const [focused, setFocused] = useState(/** @type {string | undefined} */ (undefined))
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

  const shown = ids.slice(first, end)
  const stop = [focused, ticket_id].find((id) => id !== undefined && shown.includes(id)) ?? shown[0]
  /** @param {FocusEvent & { target: HTMLElement }} event */
  const follow = ({ target }) => setFocused(target.closest('li')?.querySelector('a')?.id)
  /** @param {KeyboardEvent} event */
  const walk = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const id = step && stop && ids[ids.indexOf(stop) + step]
    if (!id) return
    event.preventDefault()
    document.getElementById(id)?.focus()
  }
  const is_choosing = inbox.chosen.value.size > 0
  return html`<div class="inbox-scroller" ref=${scroller} tabindex="-1">
    ${state === 'loading' && html`<${Waiting} label="Loading the tickets" rows=${8} />`}
    ${
      state === 'failed' &&
      html`<${Trouble} title="The tickets could not be loaded" error=${list.fault.value} onRetry=${() => list.retry()} />`
    }
    ${state === 'ready' && ids.length === 0 && html`<${NoTickets} project=${project} view=${view} filter=${filter} />`}
    <ol class=${is_choosing ? 'virtual is-choosing' : 'virtual'} onFocusIn=${follow} onKeyDown=${walk} style=${{ height: `${ids.length * ROW_HEIGHT}px` }}>
      ${shown.map((id, at) => {
        const row = list.row(id)
        return (
          row &&
          html`<${Row}
            row=${row}
            top=${(first + at) * ROW_HEIGHT}
            place=${first + at}
            count=${ids.length}
            project=${project}
            inbox=${inbox}
            view=${view}
            filter=${filter}
            is_open=${id === ticket_id}
            is_stop=${id === stop}
            key=${id}
          />`
        )
      })}
    </ol>
    ${
      list.more_fault.value &&
      html`<${Trouble} title="More tickets could not be loaded" error=${list.more_fault.value} onRetry=${() => list.readMore()} />`
    }
  </div>`
}

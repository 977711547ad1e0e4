/** An open ticket: its head, its thread, the composer below and the panel beside. */
import { effect, untracked } from '@preact/signals'
import { html } from 'htm/preact'
import { useEffect, useMemo } from 'preact/hooks'
import { preferences } from '../../app/preferences.js'
import { OwnPresence } from '../../live/own_presence.js'
import { Trouble } from '../../ui/trouble.js'
import { ConflictNote } from '../panel/conflict_note.js'
import { useDetails } from './details_place.js'
import { Entries } from './entries.js'
import { markRead } from './requests.js'
import { ThreadHead } from './thread_head.js'
import { useThreadParts } from './thread_parts.js'
import { Threads } from './threads.js'

/** @typedef {import('../mod.js').ThreadProps} ThreadProps */

/**
 * @param {Omit<ThreadProps, 'thread'> & { ticket_id: string, onClose(): void }} props
 */
export function ThreadPane({ ticket_id, ...rest }) {
  const { project, inbox, onClose } = rest
  const threads = project.part('threads', () => new Threads(project))
  const row = inbox.list.peek()?.row(ticket_id)?.peek()
  const thread = useMemo(() => threads.open(ticket_id, row), [threads, ticket_id])
  return html`<${Shown} ...${rest} thread=${thread} onClose=${onClose} key=${ticket_id} />`
}

/**
 * @param {ThreadProps & { onClose(): void }} props
 */
function Shown({ onClose, ...props }) {
  const { thread } = props
  const parts = useThreadParts()
  const details = useDetails()
  const writeNote = () => {
    details.uncover()
    props.inbox.wanted.value = { mode: 'note', ticket_id: thread.ticket_id }
  }
  usePresence(props)
  useTitle(props)
  useReadMark(props)
  return html`<div class=${details.is_shown ? 'inbox-thread has-panel' : 'inbox-thread'}>
    <${ThreadHead} ...${props} details=${details} onClose=${onClose} />
    ${
      thread.state.value === 'failed'
        ? html`<div class="inbox-failed"><${Missing} thread=${thread} /></div>`
        : html`<${Entries} ...${props} />`
    }
    ${parts.Composer && thread.state.value === 'ready' && html`<${parts.Composer} ...${props} />`}
    ${
      details.is_shown
        ? parts.Panel &&
          html`<aside class="inbox-panel" aria-label="Details"><${parts.Panel} ...${props} onNote=${writeNote} /></aside>`
        : html`<div class="inbox-conflict"><${ConflictNote} changes=${thread.changes} /></div>`
    }
  </div>`
}

/**
 * @param {{ thread: import('./thread.js').Thread }} props
 */
function Missing({ thread }) {
  const error = thread.fault.value
  return error?.status === 404
    ? html`<${Trouble} title="There is no such ticket" error=${error} />`
    : html`<${Trouble} title="The ticket could not be loaded" error=${error} onRetry=${() => thread.retry()} />`
}

/**
 * Tells the others that this agent looks at the ticket or replies, unless the page is behind others or the agent is away.
 *
 * @param {ThreadProps} props
 */
function usePresence({ project, thread }) {
  const { is_available } = preferences.value
  const state = thread.is_replying.value ? 'replying' : 'viewing'
  const own = project.part('presence', () => new OwnPresence(project.id, project.live))
  useEffect(() => {
    const tell = () => own.set(thread.ticket_id, is_available && !document.hidden ? state : 'gone')
    tell()
    document.addEventListener('visibilitychange', tell)
    return () => document.removeEventListener('visibilitychange', tell)
  }, [own, thread, is_available, state])
  useEffect(() => () => own.set(thread.ticket_id, 'gone'), [own, thread])
}

/**
 * A thread in view is read: the row says so at once, and the server gets to know. Messages that come while the page is
 * behind others stay unread until it is in front again.
 *
 * @param {ThreadProps} props
 */
function useReadMark({ project, inbox, thread }) {
  const count = thread.entries.value.length
  const is_ready = thread.state.value === 'ready'
  useEffect(() => {
    if (!is_ready) return
    const read = () => {
      const row = inbox.list.peek()?.row(thread.ticket_id)?.peek()
      if (document.hidden || row?.unread_count === 0) return
      inbox.list.peek()?.change(thread.ticket_id, (row) => ({ ...row, unread_count: 0 }))
      // The next message asks again.
      markRead(project.api, thread.ticket_id).catch(() => {})
    }
    // A mark that was lost with the connection is made again when the list says that something is unread.
    const stop = effect(() => {
      const list = inbox.list.value
      if (list?.ids.value) void list.row(thread.ticket_id)?.value
      untracked(read)
    })
    document.addEventListener('visibilitychange', read)
    return () => {
      stop()
      document.removeEventListener('visibilitychange', read)
    }
  }, [thread, count, is_ready])
}

/**
 * The person's name is the title of the browser's tab.
 *
 * @param {ThreadProps} props
 */
function useTitle({ console: core, thread }) {
  const name = thread.contact.value?.name ?? thread.ticket.value?.chat_user_name
  useEffect(() => {
    if (name) core.title.value = name
  }, [core, name])
}

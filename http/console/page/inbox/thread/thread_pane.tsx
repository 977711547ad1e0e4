/** An open ticket: its head, its thread, the composer below and the panel beside. */

import { effect, untracked } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { ConflictNote } from '../../crm/record/conflict_note.tsx'
import { preferences } from '../../data/preferences.ts'
import { OwnPresence } from '../../live/own_presence.ts'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import type { Thread } from './conversation/thread.ts'
import { Threads } from './conversation/threads.ts'
import { Entries } from './entries.tsx'
import { useDetails } from './head/details_place.ts'
import { ThreadHead } from './head/thread_head.tsx'
import { useThreadParts } from './thread_parts.ts'
import type { ThreadProps } from './thread_props.ts'

export function ThreadPane({
  ticket_id,
  ...rest
}: Omit<ThreadProps, 'thread'> & { ticket_id: string; onClose(): void }) {
  const { project, inbox, onClose } = rest
  const threads = project.part('threads', () => new Threads(project))
  const row = inbox.list.peek()?.row(ticket_id)?.peek()
  const thread = useMemo(() => threads.open(ticket_id, row), [threads, ticket_id])
  return <Shown {...rest} thread={thread} onClose={onClose} key={ticket_id} />
}

function Shown({ onClose, ...props }: ThreadProps & { onClose(): void }) {
  const { thread } = props
  const parts = useThreadParts()
  const details = useDetails()
  const writeNote = () => {
    details.uncover()
    props.inbox.opening.value = { mode: 'note', ticket_id: thread.ticket_id }
  }
  usePresence(props)
  useTitle(props)
  useReadMark(props)
  return (
    <div class={details.is_shown ? 'inbox-thread has-panel' : 'inbox-thread'}>
      <ThreadHead {...props} details={details} onClose={onClose} />
      {thread.state.value === 'failed' ? (
        <div class="inbox-failed">
          <Missing thread={thread} />
        </div>
      ) : (
        <Entries {...props} />
      )}
      {parts.Composer && thread.state.value === 'ready' && <parts.Composer {...props} />}
      {details.is_shown ? (
        parts.Panel && (
          <aside class="inbox-panel" aria-label="Details">
            <parts.Panel {...props} onNote={writeNote} />
          </aside>
        )
      ) : (
        <div class="inbox-conflict">
          <ConflictNote changes={thread.changes} />
        </div>
      )}
    </div>
  )
}

function Missing({ thread }: { thread: Thread }) {
  const error = thread.fault.value
  return error?.status === 404 ? (
    <Trouble title="There is no such ticket" error={error} />
  ) : (
    <Trouble title="The ticket could not be loaded" error={error} onRetry={() => thread.retry()} />
  )
}

/**
 * Tells the others that this agent looks at the ticket or replies, unless the page is behind others or the agent is away.
 */
function usePresence({ project, thread }: ThreadProps) {
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
 */
function useReadMark({ inbox, thread }: ThreadProps) {
  const count = thread.entries.value.length
  const is_ready = thread.state.value === 'ready'
  useEffect(() => {
    if (!is_ready) return
    const read = () => {
      const row = inbox.list.peek()?.row(thread.ticket_id)?.peek()
      if (document.hidden || row?.unread_count === 0) return
      inbox.list.peek()?.change(thread.ticket_id, (row) => ({ ...row, unread_count: 0 }))
      // The next message asks again.
      thread.read_mark.read().catch(() => {})
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

/** The person's name is the title of the browser's tab. */
function useTitle({ console: core, thread }: ThreadProps) {
  const name = thread.contact.value?.name ?? thread.ticket.value?.chat_user_name
  useEffect(() => {
    if (name) core.title.value = name
  }, [core, name])
}

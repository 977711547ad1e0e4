/** An open ticket: its head, its thread, the composer below and the panel beside. */
import { effect, untracked } from '@preact/signals'
import { html } from 'htm/preact'
import { useEffect, useMemo } from 'preact/hooks'
import { prefer, preferences } from '../../app/preferences.js'
import { Avatar } from '../../ui/avatar.js'
import { Icon } from '../../ui/icons.js'
import { Trouble } from '../../ui/trouble.js'
import { ChannelMark, nameOfChannel } from '../channel.js'
import { Entries } from './entries.js'
import { markRead } from './requests.js'
import { Snooze } from './snooze.js'
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
  useEffect(() => {
    /** @param {BeforeUnloadEvent} event */
    const unload = (event) => threads.has_unsent && event.preventDefault()
    addEventListener('beforeunload', unload)
    return () => removeEventListener('beforeunload', unload)
  }, [threads])
  return html`<${Shown} ...${rest} thread=${thread} onClose=${onClose} key=${ticket_id} />`
}

/**
 * @param {ThreadProps & { onClose(): void }} props
 */
function Shown({ onClose, ...props }) {
  const { thread } = props
  const parts = useThreadParts()
  const { is_panel_shown } = preferences.value
  usePresence(props)
  useTitle(props)
  useReadMark(props)
  return html`<div class=${is_panel_shown ? 'inbox-thread has-panel' : 'inbox-thread'}>
    <${Head} ...${props} onClose=${onClose} />
    ${
      thread.state.value === 'failed'
        ? html`<div class="inbox-failed"><${Missing} thread=${thread} /></div>`
        : html`<${Entries} ...${props} />`
    }
    ${parts.Composer && thread.state.value === 'ready' && html`<${parts.Composer} ...${props} />`}
    ${parts.Panel && is_panel_shown && html`<aside class="inbox-panel" aria-label="Details"><${parts.Panel} ...${props} /></aside>`}
  </div>`
}

/**
 * @param {ThreadProps & { onClose(): void }} props
 */
function Head({ project, inbox, thread, onClose }) {
  const ticket = thread.ticket.value
  const contact = thread.contact.value
  const name = contact?.name ?? ticket?.chat_user_name ?? contact?.phone ?? contact?.user_id ?? ''
  const type = contact?.channel_type ?? ticket?.chat_user_channel
  const { is_panel_shown } = preferences.value
  const others = (project.presence.value.get(thread.ticket_id) ?? []).filter(
    ({ user_id }) => user_id !== project.user._id,
  )
  return html`<header class="inbox-thread-head">
    <button type="button" class="quiet icon-button inbox-back" aria-label="Back to the list" onClick=${onClose}><${Icon} name="back" /></button>
    <${Avatar} name=${name || null} id=${contact?._id ?? thread.ticket_id} picture=${contact?.avatar ?? ticket?.chat_user_avatar} />
    <div class="inbox-who">
      <h2 tabindex="-1">${name || 'Ticket'}</h2>
      <p class="faint">
        ${type && html`<${ChannelMark} type=${type} /> ${nameOfChannel(type)}`} ${contact?.phone && html` · ${contact.phone}`}
        ${ticket?.is_closed && html` · <span class="inbox-closed">Closed</span>`}
      </p>
    </div>
    <p class="inbox-watchers" role="status">
      ${others.map(
        ({ user_id, full_name, state }) => html`<span class=${state} key=${user_id}>
          <${Avatar} name=${full_name} id=${user_id} size="small" /> ${full_name} is ${state === 'replying' ? 'replying' : 'looking'}
        </span>`,
      )}
    </p>
    <${Snooze} project=${project} inbox=${inbox} thread=${thread} />
    <button
      type="button"
      class="quiet icon-button"
      aria-label="Details"
      title="Details"
      aria-pressed=${String(is_panel_shown)}
      onClick=${() => prefer({ is_panel_shown: !is_panel_shown })}
    >
      <${Icon} name="panel" />
    </button>
  </header>`
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
 * Tells the others that this agent looks at the ticket, unless the page is behind others or the agent is away.
 *
 * @param {ThreadProps} props
 */
function usePresence({ project, thread }) {
  const { is_available } = preferences.value
  useEffect(() => {
    const tell = () => project.present(thread.ticket_id, is_available && !document.hidden ? 'viewing' : 'away')
    tell()
    document.addEventListener('visibilitychange', tell)
    return () => {
      document.removeEventListener('visibilitychange', tell)
      project.present(thread.ticket_id, 'away')
    }
  }, [project, thread, is_available])
}

/**
 * What is in view is read: the row says so at once, and the server gets to know. Messages that come while the page is
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

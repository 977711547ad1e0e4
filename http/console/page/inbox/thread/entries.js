/** The entries of a thread in one stream, by day. New ones come at the end; older ones load when the agent scrolls up. */
import { html } from 'htm/preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { words } from '../../app/search_words.js'
import { dayName } from '../../ui/format.js'
import { useElement } from '../../ui/hooks.js'
import { Icon } from '../../ui/icons.js'
import { toast } from '../../ui/toast.js'
import { Trouble } from '../../ui/trouble.js'
import { Waiting } from '../../ui/waiting.js'
import { isNotice, wordsOf } from '../preview.js'
import { EventEntry, NoteEntry } from './entry.js'
import { Message, PendingEntry } from './message.js'
import { SectionHead } from './section_head.js'

/** @typedef {import('../mod.js').ThreadProps} ThreadProps */
/** @typedef {import('./thread.js').Entry} Entry */

/** Distance from the end, in pixels, at which the thread follows new entries. */
const NEAR_END = 80
/** Distance from the beginning at which older entries are read. */
const NEAR_START = 600

/**
 * @param {ThreadProps} props
 */
export function Entries(props) {
  const { thread, project } = props
  const scroller = /** @type {import('preact').RefObject<HTMLElement>} */ (useElement())
  const entries = thread.entries.value
  const sections = thread.sections.value
  const pending = thread.outgoing.pending.value
  const is_ready = thread.state.value === 'ready'
  const { is_at_end, missed, toEnd } = useScroll(thread, scroller, entries, pending.length)
  useSought(props)
  return html`<div class="inbox-entries-frame">
    <div class="inbox-entries" ref=${scroller} tabindex="0" role="region" aria-label="Messages" aria-busy=${String(!is_ready)}>
      ${!is_ready && html`<${Waiting} label="Loading the messages" rows=${5} />`}
      ${is_ready && html`<${Older} thread=${thread} />`}
      ${is_ready && entries.length === 0 && pending.length === 0 && html`<p class="inbox-start faint">Nothing has happened here yet.</p>`}
      ${byDay(entries).map(
        ([day, list]) => html`<section class="inbox-day" aria-label=${day} key=${day}>
          <h3><span>${day}</span></h3>
          ${list.map((entry, at) => html`<${One} ...${props} entry=${entry} section=${sections.get(entry.id)} before=${list[at - 1]} key=${entry.id} />`)}
        </section>`,
      )}
      ${pending.filter(isShown).map((one) => html`<${PendingEntry} thread=${thread} project=${project} pending=${one} key=${one.client_id} />`)}
    </div>
    ${
      !is_at_end &&
      html`<button type="button" class="button inbox-jump" onClick=${toEnd}>
        <${Icon} name="down" /> ${missed > 0 ? `${missed} new` : 'Newest'}
      </button>`
    }
    <${Writing} thread=${thread} />
    <${Announcer} ...${props} />
  </div>`
}

/**
 * @param {ThreadProps & { entry: Entry, before: Entry | undefined, section: import('./sections.js').Section | undefined }} props
 */
function One({ project, inbox, thread, entry: { kind, id, at }, before, section }) {
  const record = project.records.get(kind, id)
  if (!record) return null
  // A message and its event may have the same time.
  const is_first_unread = thread.unread_from.value === at && before?.at !== at
  const line = [
    section && html`<${SectionHead} section=${section} project=${project} />`,
    is_first_unread && html`<p class="inbox-unread-line"><span>New messages</span></p>`,
  ]
  if (kind === 'note') return html`${line}<${NoteEntry} note=${record} project=${project} />`
  if (kind === 'message' && thread.reactions.value.placed.has(id)) return line
  if (kind === 'message' && isToldAtOriginal(record, thread)) return line
  if (kind === 'event' && isSaid(record, project)) return line
  if (kind === 'event') return html`${line}<${EventEntry} event=${record} project=${project} />`
  const previous =
    before?.kind === 'message' && !is_first_unread && !section ? project.records.get('message', before.id) : undefined
  return html`${line}<${Message} message=${record} previous=${previous} project=${project} thread=${thread} inbox=${inbox} />`
}

/**
 * The message that was edited or withdrawn says so itself.
 *
 * @param {import('../../../page_types/record.ts').AnyRecord} message
 * @param {ThreadProps['thread']} thread
 */
function isToldAtOriginal({ type, message }, thread) {
  const id = type === 'edit' || type === 'revoke' ? message?.original_message_id : undefined
  const original = id === undefined ? undefined : thread.messageOf(id)
  return original !== undefined && Boolean(original.edited_at || original.deleted_at)
}

/**
 * The thread says it without the event: the head of a section says that a ticket was opened, and a sent template is a
 * message.
 *
 * @param {import('../../../page_types/record.ts').AnyRecord} event
 * @param {ThreadProps['project']} project
 */
function isSaid({ event_type, data }, { records }) {
  if (event_type === 'ticket.created') return true
  return event_type === 'message.template_sent' && records.get('message', data?.message_id ?? '') !== undefined
}

/**
 * @param {{ thread: import('./thread.js').Thread }} props
 */
function Older({ thread }) {
  const error = thread.older_fault.value
  if (error)
    return html`<${Trouble} title="Older messages could not be loaded" error=${error} onRetry=${() => thread.readOlder()} />`
  if (!thread.has_older.value) return html`<p class="inbox-start faint">This is the beginning of the conversation.</p>`
  return html`<button
    type="button"
    class="quiet inbox-older"
    aria-busy=${String(thread.is_loading_older.value)}
    onClick=${() => thread.readOlder()}
  >
    ${thread.is_loading_older.value ? 'Loading…' : 'Show older'}
  </button>`
}

/**
 * Follows the end while the agent is there; else keeps what is in view where it is, also when older entries come above
 * it.
 *
 * @param {import('./thread.js').Thread} thread
 * @param {import('preact').RefObject<HTMLElement>} scroller
 * @param {readonly Entry[]} entries
 * @param {number} pending
 */
function useScroll(thread, scroller, entries, pending) {
  const [is_at_end, setAtEnd] = useState(true)
  const [missed, setMissed] = useState(0)
  const seen = useRef({ first: entries[0]?.id, last: entries.at(-1)?.id, height: 0, is_at_end: true })
  const is_ready = thread.state.value === 'ready'
  const sizes = useRef(/** @type {ResizeObserver | null} */ (null))

  const toEnd = () => {
    scroller.current.scrollTop = scroller.current.scrollHeight
    setMissed(0)
  }
  useLayoutEffect(() => {
    const { current } = scroller
    const look = () => {
      const { scrollTop, scrollHeight, clientHeight } = current
      const is_end = scrollHeight - scrollTop - clientHeight < NEAR_END
      seen.current.is_at_end = is_end
      setAtEnd(is_end)
      if (is_end) setMissed(0)
      if (scrollTop < NEAR_START && thread.has_older.peek() && !thread.older_fault.peek()) void thread.readOlder()
    }
    current.addEventListener('scroll', look, { passive: true })
    const observer = new ResizeObserver(() => {
      if (seen.current.is_at_end) current.scrollTop = current.scrollHeight
    })
    sizes.current = observer
    observer.observe(current)
    return () => {
      observer.disconnect()
      current.removeEventListener('scroll', look)
    }
  }, [thread])

  useLayoutEffect(() => {
    const { current } = scroller
    const before = seen.current
    const [first, last] = [entries[0]?.id, entries.at(-1)?.id]
    if (before.is_at_end) current.scrollTop = current.scrollHeight
    else if (first !== before.first && last === before.last) current.scrollTop += current.scrollHeight - before.height
    else if (last !== before.last) setMissed((count) => count + 1)
    seen.current = { first, last, height: current.scrollHeight, is_at_end: before.is_at_end }
    // Entries have their height once they are in view, and pictures when they are loaded.
    for (const child of current.children) sizes.current?.observe(child)
  }, [entries, pending, is_ready])
  return { is_at_end, missed, toEnd }
}

/**
 * Shows the message that the address names, and marks it.
 *
 * @param {ThreadProps} props
 */
function useSought({ thread, message_id }) {
  const is_ready = thread.state.value === 'ready'
  useEffect(() => {
    if (!is_ready || !message_id) return
    let is_wanted = true
    void thread.seek(message_id).then((is_there) => {
      if (!is_wanted) return
      if (!is_there) return toast(words.missing)
      requestAnimationFrame(() => {
        const found = document.getElementById(message_id)
        found?.scrollIntoView({ block: 'center' })
        found?.classList.add('is-sought')
      })
    })
    return () => {
      is_wanted = false
      document.getElementById(message_id)?.classList.remove('is-sought')
    }
  }, [thread, is_ready, message_id])
}

/**
 * @param {{ thread: import('./thread.js').Thread }} props
 */
function Writing({ thread }) {
  const name = thread.contact.value?.name ?? 'The visitor'
  return html`<p class="inbox-writing" role="status">
    ${thread.visitor.is_typing.value && html`<span class="inbox-writer"><bdi>${name}</bdi> is writing…</span>`}
  </p>`
}

/**
 * Says new messages of the person to screen readers, when they do not say anything else.
 *
 * @param {ThreadProps} props
 */
function Announcer({ project, thread }) {
  const last = thread.entries.value.findLast(({ kind }) => kind === 'message')
  const first = useRef(/** @type {string | undefined} */ (undefined))
  const is_ready = thread.state.value === 'ready'
  useEffect(() => {
    if (is_ready) first.current ??= last?.id ?? 'none'
  }, [is_ready])
  const message =
    last && first.current && last.id !== first.current ? project.records.get('message', last.id) : undefined
  const is_new = message?.direction === 'inbound' && !isNotice(message)
  return html`<p class="aside" role="status" aria-live="polite">
    ${is_new ? `New message: ${wordsOf(message)}` : ''}
  </p>`
}

/**
 * A reaction appears at its message, unless it failed.
 *
 * @param {import('../../outbox/outbox.js').Pending} pending
 */
function isShown({ request, state }) {
  return request.message?.type !== 'reaction' || state === 'failed'
}

/**
 * @param {readonly Entry[]} entries
 * @returns {[string, Entry[]][]}
 */
function byDay(entries) {
  return [...Map.groupBy(entries, ({ at }) => dayName(at))]
}

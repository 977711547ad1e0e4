/** The entries of a thread in one stream, by day. New ones come at the end; older ones load when the agent scrolls up. */

import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { EventEntry, NoteEntry } from '../../crm/entry/entry.tsx'
import { isNotice, wordsOf } from '../../crm/preview.ts'
import { words } from '../../crm/search_words.ts'
import type { Pending } from '../../data/outbox/entry.ts'
import type { AnyRecord } from '../../records/record.ts'
import { dayName } from '../../ui/format/format.ts'
import { useElement } from '../../ui/hooks.ts'
import { toast } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import { Waiting } from '../../ui/placeholders/waiting.tsx'
import type { Section } from './conversation/sections.ts'
import type { Thread } from './conversation/thread.ts'
import type { Entry } from './conversation/thread_entry.ts'
import { Message, PendingEntry } from './message/message.tsx'
import { SectionHead } from './section_head.tsx'
import type { ThreadProps } from './thread_props.ts'

/** Distance from the end, in pixels, at which the thread follows new entries. */
const NEAR_END = 80
/** Distance from the beginning at which older entries are read. */
const NEAR_START = 600

export function Entries(props: ThreadProps) {
  const { thread, project } = props
  const scroller = useElement<HTMLDivElement>()
  const entries = thread.entries.value
  const sections = thread.sections.value
  const pending = thread.outgoing.pending.value
  const is_ready = thread.state.value === 'ready'
  const { is_at_end, missed, toEnd } = useScroll(thread, scroller, entries, pending.length)
  useSought(props)
  return (
    <div class="inbox-entries-frame">
      <div class="inbox-entries" ref={scroller} tabindex={0} role="region" aria-label="Messages" aria-busy={!is_ready}>
        {!is_ready && <Waiting label="Loading the messages" rows={5} />}
        {is_ready && <Older thread={thread} />}
        {is_ready && entries.length === 0 && pending.length === 0 && (
          <p class="inbox-start faint">Nothing has happened here yet.</p>
        )}
        {byDay(entries).map(([day, list]) => (
          <section class="inbox-day" aria-label={day} key={day}>
            <h3>
              <span>{day}</span>
            </h3>
            {list.map((entry, at) => (
              <One {...props} entry={entry} section={sections.get(entry.id)} before={list[at - 1]} key={entry.id} />
            ))}
          </section>
        ))}
        {pending.filter(isShown).map((one) => (
          <PendingEntry thread={thread} project={project} pending={one} key={one.client_id} />
        ))}
      </div>
      {!is_at_end && (
        <button type="button" class="button inbox-jump" onClick={toEnd}>
          <Icon name="down" /> {missed > 0 ? `${missed} new` : 'Newest'}
        </button>
      )}
      <Writing thread={thread} />
      <Announcer {...props} />
    </div>
  )
}

function One({
  project,
  inbox,
  thread,
  entry: { kind, id, at },
  before,
  section,
}: ThreadProps & { entry: Entry; before: Entry | undefined; section: Section | undefined }) {
  const record = project.records.get(kind, id)
  if (!record) return null
  // A message and its event may have the same time.
  const is_first_unread = thread.unread_from.value === at && before?.at !== at
  const line = [
    section && <SectionHead section={section} project={project} />,
    is_first_unread && (
      <p class="inbox-unread-line">
        <span>New messages</span>
      </p>
    ),
  ]
  if (kind === 'note')
    return (
      <>
        {line}
        <NoteEntry note={record} project={project} />
      </>
    )
  if (kind === 'message' && thread.reactions.value.placed.has(id)) return line
  if (kind === 'message' && isToldAtOriginal(record, thread)) return line
  if (kind === 'event' && isSaid(record, project)) return line
  if (kind === 'event')
    return (
      <>
        {line}
        <EventEntry event={record} project={project} />
      </>
    )
  const previous =
    before?.kind === 'message' && !is_first_unread && !section ? project.records.get('message', before.id) : undefined
  return (
    <>
      {line}
      <Message message={record} previous={previous} project={project} thread={thread} inbox={inbox} />
    </>
  )
}

/** The message that was edited or withdrawn says so itself. */
function isToldAtOriginal({ type, message }: AnyRecord, thread: ThreadProps['thread']) {
  const id = type === 'edit' || type === 'revoke' ? message?.original_message_id : undefined
  const original = id === undefined ? undefined : thread.messageOf(id)
  return original !== undefined && Boolean(original.edited_at || original.deleted_at)
}

/**
 * The thread says it without the event: the head of a section says that a ticket was opened, and a sent template is a
 * message.
 */
function isSaid({ event_type, data }: AnyRecord, { records }: ThreadProps['project']) {
  if (event_type === 'ticket.created') return true
  return event_type === 'message.template_sent' && records.get('message', data?.message_id ?? '') !== undefined
}

function Older({ thread }: { thread: Thread }) {
  const error = thread.older_fault.value
  if (error)
    return <Trouble title="Older messages could not be loaded" error={error} onRetry={() => thread.readOlder()} />
  if (!thread.has_older.value) return <p class="inbox-start faint">This is the beginning of the conversation.</p>
  return (
    <button
      type="button"
      class="quiet inbox-older"
      aria-busy={thread.is_loading_older.value}
      onClick={() => thread.readOlder()}
    >
      {thread.is_loading_older.value ? 'Loading…' : 'Show older'}
    </button>
  )
}

/**
 * Follows the end while the agent is there; else keeps what is in view where it is, also when older entries come above
 * it.
 */
function useScroll(thread: Thread, scroller: RefObject<HTMLElement>, entries: readonly Entry[], pending: number) {
  const [is_at_end, setAtEnd] = useState(true)
  const [missed, setMissed] = useState(0)
  const seen = useRef({ first: entries[0]?.id, last: entries.at(-1)?.id, height: 0, is_at_end: true })
  const is_ready = thread.state.value === 'ready'
  const sizes = useRef<ResizeObserver | null>(null)

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

/** Shows the message that the address names, and marks it. */
function useSought({ thread, message_id }: ThreadProps) {
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

function Writing({ thread }: { thread: Thread }) {
  const name = thread.contact.value?.name ?? 'The visitor'
  return (
    <p class="inbox-writing" role="status">
      {thread.visitor.is_typing.value && (
        <span class="inbox-writer">
          <bdi>{name}</bdi> is writing…
        </span>
      )}
    </p>
  )
}

/** Says new messages of the person to screen readers, when they do not say anything else. */
function Announcer({ project, thread }: ThreadProps) {
  const last = thread.entries.value.findLast(({ kind }) => kind === 'message')
  const first = useRef<string | undefined>(undefined)
  const is_ready = thread.state.value === 'ready'
  useEffect(() => {
    if (is_ready) first.current ??= last?.id ?? 'none'
  }, [is_ready])
  const message =
    last && first.current && last.id !== first.current ? project.records.get('message', last.id) : undefined
  const is_new = message?.direction === 'inbound' && !isNotice(message)
  return (
    <p class="aside" role="status" aria-live="polite">
      {is_new ? `New message: ${wordsOf(message)}` : ''}
    </p>
  )
}

/** A reaction appears at its message, unless it failed. */
function isShown({ request, state }: Pending) {
  return request.message?.type !== 'reaction' || state === 'failed'
}

function byDay(entries: readonly Entry[]): [string, Entry[]][] {
  return [...Map.groupBy(entries, ({ at }) => dayName(at))]
}

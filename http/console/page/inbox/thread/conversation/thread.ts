/**
 * The thread of a ticket: its messages, notes and events in one order, the oldest first, page by page and live. A person
 * has one conversation: what was before the ticket lies above it, in sections (`sections.ts`). No DOM.
 *
 * Entries name their records, which are signals in `project.records`. What the agent sends is `outgoing` until the
 * server's record takes its place.
 */

import { batch, computed, signal } from '@preact/signals'
import { isNotice } from '../../../crm/preview.ts'
import { TicketChanges } from '../../../crm/record/ticket_changes.ts'
import { type Change, idOf } from '../../../data/apply_event.ts'
import { faultOf } from '../../../data/errors.ts'
import type { Project } from '../../../data/project.ts'
import type { Fault } from '../../../records/fault.ts'
import type { ProjectEvent } from '../../../records/live.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { AssistantTyping } from './assistant_typing.ts'
import { Outgoing } from './outgoing.ts'
import { reactionsIn } from './reactions.ts'
import { ReadMark } from './read_mark.ts'
import { sectionsOf } from './sections.ts'
import type { Entry } from './thread_entry.ts'
import { VisitorTyping } from './visitor_typing.ts'

const PAGE = 50
const MAX_SOUGHT = 100

export class Thread {
  readonly ticket_id: string
  readonly ticket
  readonly contact_id
  /** Reactions by the message that they belong to, and the ids of their own messages. */
  readonly reactions
  /** The tickets of the conversation, by their first entries. */
  readonly sections
  readonly contact
  /** The agent's changes of the ticket, wherever they are made. */
  readonly changes: TicketChanges
  /** The agent's own messages. */
  readonly outgoing: Outgoing
  readonly read_mark: ReadMark
  readonly visitor: VisitorTyping
  readonly assistant: AssistantTyping

  /** `failed` only while there is nothing to show. */
  state = signal<'loading' | 'ready' | 'failed'>('loading')
  fault = signal<Fault | null>(null)
  entries = signal<readonly Entry[]>([])
  has_older = signal(false)
  is_loading_older = signal(false)
  older_fault = signal<Fault | null>(null)
  /** The time of the first message that was unread when the thread was opened. */
  unread_from = signal<string | null>(null)
  /** The agent is writing a reply. */
  is_replying = signal(false)
  is_stale = false
  #project
  #cursor: string | null = null
  #reads = 0
  #is_closed = false
  #unread_count

  /** `chat_user` and `unread_count` are those of the inbox's row, if there is one. */
  constructor({
    project,
    ticket_id,
    chat_user,
    unread_count = 0,
  }: { project: Project; ticket_id: string; chat_user?: string | undefined; unread_count?: number | undefined }) {
    this.#project = project
    this.#unread_count = unread_count
    this.ticket_id = ticket_id
    this.ticket = project.records.signal('ticket', ticket_id)
    const contact_id = computed(() => this.ticket.value?.chat_user ?? chat_user)
    this.contact_id = contact_id
    this.reactions = computed(() => reactionsIn(this.#messages()))
    this.sections = computed(() =>
      sectionsOf(this.entries.value, (id) => project.records.signal('event', id).peek(), this.ticket.value),
    )
    this.contact = computed(() => (contact_id.value ? project.records.get('contact', contact_id.value) : undefined))
    this.changes = new TicketChanges(project, ticket_id)
    this.outgoing = new Outgoing(project, this, (items) => this.#add(items))
    this.read_mark = new ReadMark(project.api, ticket_id)
    this.visitor = new VisitorTyping()
    this.assistant = new AssistantTyping()
  }

  /** Reads the ticket, its contact and its newest entries. What is shown stays visible until the answers arrive. */
  async read() {
    const read = ++this.#reads
    const { api, records } = this.#project
    try {
      const known = this.contact_id.peek()
      const path = `crm/tickets/${this.ticket_id}`
      const limit = Math.min(200, Math.max(PAGE, this.entries.peek().length))
      const [ticket, page, contact] = await Promise.all([
        api.get(path),
        api.get(`${path}/timeline`, { limit, with_former: true }),
        known && api.get(`contacts/${known}`),
      ])
      if (this.#is_closed || read !== this.#reads) return
      batch(() => {
        records.keep('ticket', ticket)
        if (contact) records.keep('contact', contact)
        this.#cursor = page.next_cursor
        this.has_older.value = page.next_cursor !== null
        this.entries.value = []
        this.#add(page.data)
        this.#markUnread()
        this.state.value = 'ready'
        this.fault.value = null
      })
      this.is_stale = false
      if (!contact) records.keep('contact', await api.get(`contacts/${ticket.chat_user}`))
    } catch (error) {
      if (this.#is_closed || read !== this.#reads) return
      this.is_stale = true
      if (this.state.peek() === 'ready') return
      this.state.value = 'failed'
      this.fault.value = faultOf(error)
    }
  }

  /** Reads older entries until the message is there, at most `MAX_SOUGHT` pages. Resolves to false where it is not. */
  async seek(id: string) {
    const isThere = () => this.entries.peek().some((entry) => entry.id === id)
    for (let pages = 0; !isThere() && this.has_older.peek() && pages < MAX_SOUGHT; pages++) {
      await this.readOlder()
      if (this.older_fault.peek()) break
    }
    return isThere()
  }

  /**
   * The message of the thread with this id of ours or of its provider. Views that call it are drawn again when the thread
   * changes.
   */
  messageOf(id: string): AnyRecord | undefined {
    const { records } = this.#project
    const entry = this.entries.value.find(
      (one) =>
        one.kind === 'message' &&
        (one.id === id || records.signal('message', one.id).peek()?.provider_message_id === id),
    )
    return entry && records.get('message', entry.id)
  }

  /** The messages of the thread. Their types and ids never change, so no view is drawn again for them. */
  #messages() {
    const { records } = this.#project
    return this.entries.value.flatMap(({ kind, id }) => (kind === 'message' && records.signal(kind, id).peek()) || [])
  }

  /** Retries after a displayed failure. */
  retry() {
    this.state.value = 'loading'
    this.fault.value = null
    return this.read()
  }

  async readOlder() {
    if (this.#cursor === null || this.is_loading_older.peek()) return
    const read = this.#reads
    this.is_loading_older.value = true
    this.older_fault.value = null
    try {
      const query = { limit: PAGE, cursor: this.#cursor, with_former: true }
      const page = await this.#project.api.get(`crm/tickets/${this.ticket_id}/timeline`, query)
      // The whole thread was read anew meanwhile.
      if (this.#is_closed || read !== this.#reads) return
      batch(() => {
        this.#cursor = page.next_cursor
        this.has_older.value = page.next_cursor !== null
        this.#add(page.data)
      })
    } catch (error) {
      this.older_fault.value = faultOf(error)
    } finally {
      this.is_loading_older.value = false
    }
  }

  hear(events: readonly ProjectEvent[], changes: readonly Change[]) {
    const chat_user = this.contact_id.peek()
    const added: AnyRecord[] = []
    for (const { kind, id, after, before, is_new, is_part, is_stale } of changes) {
      if (kind === 'ticket' && id === this.ticket_id) {
        if (is_stale) void this.read()
        else if (after && before === undefined && !is_part) this.#project.records.keep('ticket', after)
      }
      if (kind === 'contact' && id === chat_user && after && before === undefined && !is_part)
        this.#project.records.keep('contact', after)
      if (after === undefined || before !== undefined || !this.#isMine(kind, after)) continue
      // Among the pages that are not read yet: reading them shows it.
      if (!is_new && this.has_older.peek() && after.created_at < (this.entries.peek()[0]?.at ?? '')) continue
      if (is_part) void this.read()
      else added.push({ ...after, kind })
    }
    if (added.length > 0) this.#add(added)
    this.visitor.hear(events, added, chat_user)
    this.assistant.hear(events, added, this.ticket_id)
    const read_again = events.some(
      ({ type, data }) => type === 'broadcast.messages' && (data.chat_users?.includes(chat_user ?? '') ?? true),
    )
    if (read_again) void this.read()
  }

  close() {
    this.#is_closed = true
    this.outgoing.close()
    this.visitor.close()
    this.assistant.close()
  }

  /** Keeps records and puts their entries at their places. */
  #add(items: AnyRecord[]) {
    batch(() => {
      const known = new Set(this.entries.peek().map(({ id }) => id))
      const added: Entry[] = []
      for (const { kind, ...record } of items) {
        const id = idOf(record)
        this.#project.records.keep(kind, record)
        if (!known.has(id)) added.push({ kind, id, at: record.created_at })
        known.add(id)
      }
      if (added.length > 0) this.entries.value = [...this.entries.peek(), ...added].sort(inOrder)
      this.outgoing.arrived(known, items)
    })
  }

  #isMine(kind: string, record: AnyRecord) {
    if (kind === 'message') {
      const ticket = this.ticket.peek()
      const is_over = ticket?.is_closed && record.created_at > ticket.closed_at
      return record.chat_user !== undefined && record.chat_user === this.contact_id.peek() && !is_over
    }
    return (kind === 'note' || kind === 'event') && record.ticket_id === this.ticket_id
  }

  #markUnread() {
    if (this.#unread_count === 0 || this.unread_from.peek() !== null) return
    const { records } = this.#project
    const inbound = this.entries.peek().filter(({ kind, id }) => {
      const message = kind === 'message' ? records.signal('message', id).peek() : undefined
      return message?.direction === 'inbound' && !isNotice(message)
    })
    this.unread_from.value = inbound.at(-this.#unread_count)?.at ?? inbound[0]?.at ?? null
    this.#unread_count = 0
  }
}

/** Ids without their prefixes order entries of the same time, as on the server. */
function inOrder(one: Entry, other: Entry) {
  if (one.at !== other.at) return one.at < other.at ? -1 : 1
  return one.id.replace(/^msg_/, '') < other.id.replace(/^msg_/, '') ? -1 : 1
}

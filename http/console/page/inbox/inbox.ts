/** The inbox of a project: the list of the view, the counts of the views, and what the agent chose. No DOM. */

import { signal } from '@preact/signals'
import type { Change } from '../data/apply_event.ts'
import type { Project } from '../data/project.ts'
import type { InboxFilter } from '../records/inbox.ts'
import type { ProjectEvent } from '../records/live.ts'
import type { AnyRecord } from '../records/record.ts'
import { Counts } from './counts.ts'
import type { Drafts } from './drafts.ts'
import { InboxList } from './inbox_list.ts'
import type { SavedViews } from './views.ts'

/** Lists that keep their place. */
const MAX_LISTS = 6
export class Inbox {
  readonly counts

  list = signal<InboxList | null>(null)
  /** The ticket whose thread is shown. */
  open_id: string | undefined
  /** The agent's wish to the composer. */
  opening = signal<{ mode: 'reply' | 'note'; ticket_id: string; quote?: string } | null>(null)
  /** The tickets that are chosen for an action on many. */
  chosen = signal<ReadonlySet<string>>(new Set())
  /** Loaded after the list. */
  drafts = signal<Drafts | null>(null)
  views = signal<SavedViews | null>(null)
  #project
  #lists = new Map<string, InboxList>()

  constructor(project: Project) {
    this.#project = project
    this.counts = project.part('counts', () => new Counts(project)).value
    project.define()
  }

  /** Shows a list beside a thread. Content that is already there stays. */
  show(filter: InboxFilter, ticket_id: string | undefined) {
    this.open_id = ticket_id
    this.#showList(filter)
  }

  choose(ticket_id: string, is_chosen: boolean) {
    const next = new Set(this.chosen.peek())
    if (is_chosen) next.add(ticket_id)
    else next.delete(ticket_id)
    this.chosen.value = next
  }

  hear(events: readonly ProjectEvent[], changes: readonly Change[]) {
    for (const [key, list] of this.#lists) {
      if (list === this.list.peek()) list.hear(changes)
      // A list that is not shown is read again when it is.
      else this.#lists.delete(key)
    }
    for (const { type, data } of events) this.#hearOne(type, data)
    if (events.some(({ type }) => type.startsWith('broadcast.messages'))) void this.list.peek()?.read()
  }

  read() {
    void this.list.peek()?.read()
  }

  poll(is_live: boolean) {
    if (!is_live) return this.read()
    if (this.list.peek()?.is_stale) void this.list.peek()?.read()
  }

  close() {
    for (const list of this.#lists.values()) list.close()
  }

  #showList(filter: InboxFilter) {
    const key = JSON.stringify(filter)
    const before = this.list.peek()
    if (before && JSON.stringify(before.filter) === key) return
    const list =
      this.#lists.get(key) ??
      new InboxList({
        project: this.#project,
        filter,
        isInView: (ticket_id) => this.open_id === ticket_id && !globalThis.document?.hidden,
      })
    if (list.state.peek() === 'loading') void list.read()
    this.#lists.delete(key)
    this.#lists.set(key, list)
    const [oldest] = this.#lists.keys()
    if (this.#lists.size > MAX_LISTS && oldest !== undefined) this.#lists.delete(oldest)
    this.list.value = list
    this.chosen.value = new Set()
  }

  #hearOne(type: string, data: AnyRecord) {
    const list = this.list.peek()
    if (type === 'inbox.read' && data.user_id === this.#project.user._id)
      list?.change(data.ticket_id, (row) => ({ ...row, unread_count: data.unread_count ?? 0 }))
    if (type === 'inbox.failed') {
      const { failed_at, waiting_since } = data
      list?.change(data.ticket_id, (row) => ({ ...row, failed_at, waiting_since }))
    }
    if (type === 'snooze.changed') {
      const { snoozed_at = null, snoozed_until = null } = data
      list?.change(data.ticket_id, (row) => ({ ...row, snoozed_at, snoozed_until }))
    }
  }
}

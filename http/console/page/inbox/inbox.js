/** The inbox of a project: the list of the view, the counts of the views, and what the agent chose. No DOM. */
import { signal } from '@preact/signals'
import { Counts } from './counts.js'
import { InboxList } from './inbox_list.js'

/** @typedef {import('../../page_types/inbox.ts').InboxFilter} InboxFilter */
/** @typedef {import('../data/apply_event.js').Change} Change */
/** @typedef {import('../../page_types/live.ts').ProjectEvent} ProjectEvent */

/** Lists that keep their place. */
const MAX_LISTS = 6
export class Inbox {
  list = signal(/** @type {InboxList | null} */ (null))
  /** The ticket whose thread is shown. @type {string | undefined} */
  open_id
  /** The agent's wish to the composer. */
  wanted = signal(/** @type {{ mode: 'reply' | 'note', ticket_id: string, quote?: string } | null} */ (null))
  /** The tickets that are chosen for an action on many. */
  chosen = signal(/** @type {ReadonlySet<string>} */ (new Set()))
  /** Loaded after the list. */
  drafts = signal(/** @type {import('./drafts.js').Drafts | null} */ (null))
  views = signal(/** @type {import('./views.js').SavedViews | null} */ (null))
  #project
  /** @type {Map<string, InboxList>} */
  #lists = new Map()

  /** @param {import('../data/project.js').Project} project */
  constructor(project) {
    this.#project = project
    this.counts = project.part('counts', () => new Counts(project)).value
    project.define()
  }

  /**
   * Shows a list beside a thread. Content that is already there stays.
   *
   * @param {InboxFilter} filter
   * @param {string | undefined} ticket_id
   */
  show(filter, ticket_id) {
    this.open_id = ticket_id
    this.#showList(filter)
  }

  /**
   * @param {string} ticket_id
   * @param {boolean} is_chosen
   */
  choose(ticket_id, is_chosen) {
    const next = new Set(this.chosen.peek())
    if (is_chosen) next.add(ticket_id)
    else next.delete(ticket_id)
    this.chosen.value = next
  }

  /**
   * @param {readonly ProjectEvent[]} events
   * @param {readonly Change[]} changes
   */
  hear(events, changes) {
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

  /** @param {boolean} is_live */
  poll(is_live) {
    if (!is_live) return this.read()
    if (this.list.peek()?.is_stale) void this.list.peek()?.read()
  }

  close() {
    for (const list of this.#lists.values()) list.close()
  }

  /** @param {InboxFilter} filter */
  #showList(filter) {
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

  /**
   * @param {string} type
   * @param {import('../../page_types/record.ts').AnyRecord} data
   */
  #hearOne(type, data) {
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

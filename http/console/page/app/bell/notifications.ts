/** The agent's notifications in a project: mentions, assignments, failures. Live. No DOM. */

import { signal } from '@preact/signals'
import { isNotice } from '../../crm/preview.ts'
import type { Project } from '../../data/project.ts'
import type { Notification } from '../../records/inbox_records.ts'
import type { ProjectEvent } from '../../records/live.ts'
import type { AnyRecord } from '../../records/record.ts'

const PAGE = 50
/** As many as the server keeps. */
const MAX = 500

export class Notifications {
  /** Newest first. */
  list = signal<readonly Notification[]>([])
  unread_count = signal(0)
  has_more = signal(false)
  /** Called with a new notification. */
  onNew: (notification: Notification) => void = () => {}
  /** Called with the messages of people. */
  onMessage: (message: AnyRecord) => void = () => {}
  /** Actions of this page, which says itself that they are done. */
  own_actions = new Set<string>()
  #api
  #cursor: string | null = null

  constructor({ api }: Pick<Project, 'api'>) {
    this.#api = api
    void this.read()
  }

  async read() {
    try {
      this.#take(await this.#api.get('notifications', { limit: PAGE }), [])
    } catch {
      // The next reading comes with the next connection.
    }
  }

  async readMore() {
    if (this.#cursor === null) return
    this.#take(await this.#api.get('notifications', { limit: PAGE, cursor: this.#cursor }), this.list.peek())
  }

  /** Marks them as read, at once for the eye. */
  async markRead(ids: readonly string[]) {
    const unread = this.list.peek().filter(({ _id, read_at }) => read_at === null && ids.includes(_id))
    if (unread.length === 0) return
    this.#mark(
      unread.map(({ _id }) => _id),
      this.unread_count.peek() - unread.length,
    )
    const { unread_count } = await this.#api.post('notifications/read', {
      notification_ids: unread.map(({ _id }) => _id),
    })
    this.unread_count.value = unread_count
  }

  /** Marks those of a ticket, which the agent is looking at. */
  async markTicketRead(ticket_id: string) {
    await this.markRead(this.list.peek().flatMap((one) => (one.ticket_id === ticket_id ? [one._id] : [])))
  }

  async markAllRead() {
    const [newest] = this.list.peek()
    if (!newest) return
    this.#mark(
      this.list.peek().map(({ _id }) => _id),
      0,
    )
    this.unread_count.value = (await this.#api.post('notifications/read', { up_to: newest._id })).unread_count
  }

  hear(events: readonly ProjectEvent[]) {
    for (const { type, data } of events) {
      if (type === 'notification.created') this.#add(data)
      if (type === 'notification.read') this.#mark(data.notification_ids, data.unread_count)
      if (type === 'message.created' && isNews(data)) this.onMessage(data)
    }
  }

  #add(notification: Notification) {
    if (this.list.peek().some(({ _id }) => _id === notification._id)) return
    this.list.value = [notification, ...this.list.peek()].slice(0, MAX)
    this.unread_count.value++
    const { type, data, _id } = notification
    if (type === 'bulk_action_completed' && data.refused_count === 0 && this.own_actions.has(data.bulk_action_id))
      void this.markRead([_id])
    else this.onNew(notification)
  }

  #mark(ids: readonly string[], unread_count: number) {
    const read_at = new Date().toISOString()
    this.list.value = this.list
      .peek()
      .map((one) => (one.read_at === null && ids.includes(one._id) ? { ...one, read_at } : one))
    this.unread_count.value = Math.max(0, unread_count)
  }

  #take(
    { data, next_cursor, unread_count }: { data: Notification[]; next_cursor: string | null; unread_count: number },
    before: readonly Notification[],
  ) {
    const known = new Set(before.map(({ _id }) => _id))
    this.list.value = [...before, ...data.filter(({ _id }) => !known.has(_id))]
    this.unread_count.value = unread_count
    this.#cursor = next_cursor
    this.has_more.value = next_cursor !== null
  }
}

/** A notification in words. */
export function wordsOf(notification: Notification): {
  icon: 'person' | 'assign' | 'done' | 'alert'
  title: string
  text: string | null
} {
  const { type, created_by, contact, data } = notification
  const by = created_by?.full_name ?? 'A program'
  const name = contact?.name ?? 'a person'
  switch (type) {
    case 'mention':
      return { icon: 'person', title: `${by} mentioned you in a note on ${name}`, text: data.text }
    case 'assignment':
      return { icon: 'assign', title: `${by} assigned ${name} to you`, text: null }
    case 'bulk_assignment':
      return { icon: 'assign', title: `${by} assigned ${tickets(data.count)} to you`, text: null }
    case 'bulk_action_completed': {
      const refused = data.refused_count > 0 ? `${tickets(data.refused_count)} could not be changed.` : null
      return { icon: 'done', title: `Your action is done: ${tickets(data.changed_count)}`, text: refused }
    }
    case 'message_failed':
      return { icon: 'alert', title: `Your message to ${name} was not delivered`, text: data.message }
    case 'assistant_handed_over':
      return { icon: 'person', title: `An assistant leaves ${name} to you`, text: data.note }
    case 'scheduled_message_failed':
      return { icon: 'alert', title: `Your scheduled message to ${name} was not sent`, text: data.message }
    default:
      return { icon: 'alert', title: 'Something happened that this page does not know', text: null }
  }
}

function tickets(count: number) {
  return count === 1 ? '1 ticket' : `${count} tickets`
}

/** True for a whole record of what a person wrote. */
function isNews(data: AnyRecord) {
  return 'direction' in data && data.direction === 'inbound' && !isNotice(data)
}

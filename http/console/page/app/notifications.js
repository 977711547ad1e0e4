/** The agent's notifications in a project: mentions, assignments, failures. Live. No DOM. */
import { signal } from '@preact/signals'
import { isNotice } from '../inbox/preview.js'

/** @typedef {import('../../page_types/inbox_records.ts').Notification} Notification */
/** @typedef {import('../../page_types/live.ts').ProjectEvent} ProjectEvent */

const PAGE = 50
/** As many as the server keeps. */
const MOST = 500

export class Notifications {
  /** Newest first. */
  list = signal(/** @type {readonly Notification[]} */ ([]))
  unread_count = signal(0)
  has_more = signal(false)
  /** Called with a new notification. @type {(notification: Notification) => void} */
  onNew = () => {}
  /** Called with the messages of people. @type {(message: import('../../page_types/record.ts').AnyRecord) => void} */
  onMessage = () => {}
  /** Actions of this page, which says itself that they are done. @type {Set<string>} */
  own_actions = new Set()
  #api
  /** @type {string | null} */
  #cursor = null

  /** @param {Pick<import('../data/project.js').Project, 'api'>} project */
  constructor({ api }) {
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

  /**
   * Marks them as read, at once for the eye.
   *
   * @param {readonly string[]} ids
   */
  async markRead(ids) {
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

  /**
   * Marks those of a ticket, which the agent is looking at.
   *
   * @param {string} ticket_id
   */
  async markTicketRead(ticket_id) {
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

  /** @param {readonly ProjectEvent[]} events */
  hear(events) {
    for (const { type, data } of events) {
      if (type === 'notification.created') this.#add(data)
      if (type === 'notification.read') this.#mark(data.notification_ids, data.unread_count)
      if (type === 'message.created' && isNews(data)) this.onMessage(data)
    }
  }

  /** @param {Notification} notification */
  #add(notification) {
    if (this.list.peek().some(({ _id }) => _id === notification._id)) return
    this.list.value = [notification, ...this.list.peek()].slice(0, MOST)
    this.unread_count.value++
    const { type, data, _id } = notification
    if (type === 'bulk_action_completed' && data.refused_count === 0 && this.own_actions.has(data.bulk_action_id))
      void this.markRead([_id])
    else this.onNew(notification)
  }

  /**
   * @param {readonly string[]} ids
   * @param {number} unread_count
   */
  #mark(ids, unread_count) {
    const read_at = new Date().toISOString()
    this.list.value = this.list
      .peek()
      .map((one) => (one.read_at === null && ids.includes(one._id) ? { ...one, read_at } : one))
    this.unread_count.value = Math.max(0, unread_count)
  }

  /**
   * @param {{ data: Notification[], next_cursor: string | null, unread_count: number }} page
   * @param {readonly Notification[]} before
   */
  #take({ data, next_cursor, unread_count }, before) {
    const known = new Set(before.map(({ _id }) => _id))
    this.list.value = [...before, ...data.filter(({ _id }) => !known.has(_id))]
    this.unread_count.value = unread_count
    this.#cursor = next_cursor
    this.has_more.value = next_cursor !== null
  }
}

/**
 * A notification in words.
 *
 * @param {Notification} notification
 * @returns {{ icon: 'person' | 'assign' | 'done' | 'alert', title: string, text: string | null }}
 */
export function wordsOf(notification) {
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
    case 'scheduled_message_failed':
      return { icon: 'alert', title: `Your scheduled message to ${name} was not sent`, text: data.message }
    default:
      return { icon: 'alert', title: 'Something happened that this page does not know', text: null }
  }
}

/** @param {number} count */
function tickets(count) {
  return count === 1 ? '1 ticket' : `${count} tickets`
}

/**
 * True for a whole record of what a person wrote.
 *
 * @param {import('../../page_types/record.ts').AnyRecord} data
 */
function isNews(data) {
  return 'direction' in data && data.direction === 'inbound' && !isNotice(data)
}

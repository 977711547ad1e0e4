/**
 * An action on many tickets: those that are chosen, or all that match the view. The server does it, and goes on when the
 * page is closed. No DOM.
 */
import { markRead } from './thread/requests.js'

/** @typedef {import('../../page_types/inbox.ts').InboxFilter} InboxFilter */
/**
 * @typedef {{ type: 'assign', assigned_to: string | null }
 *   | { type: 'move', stage_id: string }
 *   | { type: 'close' } | { type: 'reopen' }
 *   | { type: 'tag', add_tag_ids: string[] }
 *   | { type: 'prioritize', priority: string | null }
 *   | { type: 'snooze', until: string | null }} BulkChange
 */

/** Parameters of the list that are true or false. */
const FLAGS = ['is_closed', 'is_snoozed', 'is_unread', 'is_failed']

/**
 * The filter of an action, from that of a list.
 *
 * @param {InboxFilter} filter
 */
export function bulkFilterOf({ sort, ...filter }) {
  const entries = Object.entries(filter).map(([name, value]) => [name, FLAGS.includes(name) ? value === 'true' : value])
  const inbox = { is_closed: false, is_snoozed: false, ...Object.fromEntries(entries) }
  if (inbox.is_closed) delete inbox.is_snoozed
  return { inbox: sort === 'waiting' ? { ...inbox, is_waiting: true } : inbox }
}

/**
 * Begins an action. With `expected_count`, the server refuses when the number of tickets is another by now.
 *
 * @param {import('../data/project_api.js').ProjectApi} api
 * @param {{ filter: object, action: BulkChange, expected_count?: number | undefined }} what
 */
export function beginBulk(api, what) {
  return api.post('bulk_actions', what)
}

/**
 * How many tickets match now, and how many one action may change.
 *
 * @param {import('../data/project_api.js').ProjectApi} api
 * @param {object} filter
 * @returns {Promise<{ total: number, most: number }>}
 */
export function countBulk(api, filter) {
  return api.post('bulk_actions/count', { filter })
}

/** Requests at once. */
const AT_ONCE = 4

/**
 * Marks the tickets as read, a few at a time.
 *
 * @param {import('../data/project_api.js').ProjectApi} api
 * @param {readonly string[]} ticket_ids
 */
export async function markAllRead(api, ticket_ids) {
  const left = [...ticket_ids]
  const work = async () => {
    for (let id = left.pop(); id; id = left.pop()) await markRead(api, id)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

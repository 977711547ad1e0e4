/**
 * An action on many tickets: those that are chosen, or all that match the view. The server does it, and goes on when the
 * page is closed. No DOM.
 */

import type { ProjectApi } from '../data/project_api.ts'
import type { InboxFilter } from '../records/inbox.ts'
import { markRead } from './thread/conversation/requests.ts'

export type BulkChange =
  | { type: 'assign'; assigned_to: string | null }
  | { type: 'move'; stage_id: string }
  | { type: 'close' }
  | { type: 'reopen' }
  | { type: 'tag'; add_tag_ids: string[] }
  | { type: 'prioritize'; priority: string | null }
  | { type: 'snooze'; until: string | null }

/** Parameters of the list that are true or false. */
const FLAGS = ['is_closed', 'is_snoozed', 'is_unread', 'is_failed']

/** The filter of an action, from that of a list. */
export function bulkFilterOf({ sort, ...filter }: InboxFilter) {
  const entries = Object.entries(filter).map(([name, value]) => [name, FLAGS.includes(name) ? value === 'true' : value])
  const inbox = { is_closed: false, is_snoozed: false, ...Object.fromEntries(entries) }
  if (inbox.is_closed) delete inbox.is_snoozed
  return { inbox: sort === 'waiting' ? { ...inbox, is_waiting: true } : inbox }
}

/** Begins an action. With `expected_count`, the server refuses when the number of tickets is another by now. */
export function beginBulk(
  api: ProjectApi,
  what: { filter: object; action: BulkChange; expected_count?: number | undefined },
) {
  return api.post('bulk_actions', what)
}

/** How many tickets match now, and how many one action may change. */
export function countBulk(api: ProjectApi, filter: object): Promise<{ total: number; most: number }> {
  return api.post('bulk_actions/count', { filter })
}

/** Requests at once. */
const AT_ONCE = 4

/** Marks the tickets as read, a few at a time. */
export async function markAllRead(api: ProjectApi, ticket_ids: readonly string[]) {
  const left = [...ticket_ids]
  const work = async () => {
    for (let id = left.pop(); id; id = left.pop()) await markRead(api, id)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

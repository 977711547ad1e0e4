/** Notifications: what agents are told about their tickets. */

import { Notification, readUnreadIds } from '../../../storage/mod.ts'
import type { Command, Feature } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'

type ReadNotifications = {
  type: 'read_notifications'
  /** The agent. */
  user_id: string
  /** These; or else `up_to` and all older ones. */
  notification_ids?: string[] | undefined
  up_to?: string | undefined
}

/** The ids of unread notifications by agent, as the turn leaves them. */
const unreadReads: ReadKind<Set<string>, Map<string, string[]>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, user_ids, { database, state: { project_id } }) {
    for (const [id, unread] of await readUnreadIds(database, project_id, [...user_ids])) found.set(id, unread)
  },
}

/** Marks notifications of the agent as read. Those of others, and those that are gone, are passed over. */
const readNotifications = {
  reads(reads, { user_id }) {
    reads.of(unreadReads).add(user_id)
  },
  run(turn, { user_id, notification_ids, up_to = '' }) {
    const unread = turn.records.of(unreadReads)
    const named = new Set(notification_ids)
    const before = unread.get(user_id) ?? []
    const read = before.filter((id) => (notification_ids ? named.has(id) : id <= up_to))
    const gone = new Set(read)
    const left = before.filter((id) => !gone.has(id))
    unread.set(user_id, left)
    for (const _id of read) turn.update(Notification, { _id }, { read_at: turn.now })
    const unread_count = left.length
    if (read.length > 0) {
      const data = { notification_ids: read, unread_count }
      turn.live(turn.state.project_id, () => ({ type: 'notification.read', user_id, data }))
    }
    return { body: { unread_count } }
  },
} satisfies Command<ReadNotifications>

export const notifications = {
  commands: { read_notifications: readNotifications },
} satisfies Feature

import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import { Notification } from '../../entities/inbox/notification.ts'
import { sql } from '../../sql/sql.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'

/** `name`: of the contact. `full_name`: of the user who caused it. */
export type NotificationView = {
  notification: Notification
  name: string | null | undefined
  full_name: string | null | undefined
}

type Agent = { project_id: string; user_id: string }

const ofAgent = ({ project_id, user_id }: Agent) => sql`n.project_id = ${project_id} and n.user_id = ${user_id}`

/** The agent's notifications, newest first, and the number of those that are not read. */
export async function listNotifications(
  database: Database,
  agent: Agent,
  { is_unread }: { is_unread?: boolean | undefined },
  { limit, cursor }: PageOptions,
): Promise<Page<NotificationView> & { unread_count: number }> {
  const conditions = [ofAgent(agent)]
  if (is_unread !== undefined) conditions.push(sql`n.read_at is ${is_unread ? sql`null` : sql`not null`}`)
  if (cursor !== undefined) conditions.push(sql`n._id < ${cursor}`)
  const rows = await database.execute<Record<string, unknown> & { name: string | null; full_name: string | null }>(sql`
    select ${columnsOf(database, Notification, sql`n`)}, c.name, u.full_name from notification n
    left join contact c on c._id = n.chat_user left join "user" u on u._id = n.created_by
    where ${sql.join(conditions, ' and ')} order by n._id desc limit ${limit + 1}`)
  const found = toRows<Notification>(database, Notification, rows)
  const page = toPage(
    found.map((notification, at) => ({ notification, name: rows[at]!.name, full_name: rows[at]!.full_name })),
    limit,
    ({ notification }) => notification._id,
  )
  const [count] = await database.execute<{ unread_count: number }>(
    sql`select count(*)::int as unread_count from notification n where ${ofAgent(agent)} and n.read_at is null`,
  )
  return { ...page, unread_count: count!.unread_count }
}

/** The ids of the notifications that these agents have not read, by agent, the oldest first. */
export async function readUnreadIds(
  database: Database,
  project_id: string,
  user_ids: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await database.execute<{ user_id: string; _id: string }>(sql`
    select user_id, _id from notification where project_id = ${project_id}
      and user_id = any (${user_ids}) and read_at is null order by _id`)
  const found = new Map<string, string[]>(user_ids.map((id) => [id, []]))
  for (const { user_id, _id } of rows) found.get(user_id)!.push(_id)
  return found
}

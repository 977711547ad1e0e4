/** Notifications of agents. Each is committed with its cause. */
import { Notification, type NotificationData, type NotificationType, objectId } from '../../../storage/mod.ts'
import { toNotificationRecord } from '../../records/mod.ts'
import { contactReads } from '../contacts/reads.ts'
import { definitionsOf } from '../definitions/reads.ts'
import type { ProjectTurn } from '../turn/turn.ts'

export type News<Type extends NotificationType> = {
  type: Type
  /** One that the project has. */
  ticket?: { _id: string; chat_user: string } | undefined
  /** A contact that the project has; default: that of the ticket. */
  contact_id?: string | undefined
  /** The user who caused it; null for programs and the service. */
  created_by: string | null
  data: NotificationData[Type]
}

/**
 * Notifies an agent. A user who is no agent of the company any more is not notified. The turn must have read the
 * definitions (`wantDefinitions`); a trigger keeps the newest notifications of an agent.
 */
export function notify<Type extends NotificationType>(turn: ProjectTurn, user_id: string, news: News<Type>): void {
  const { users } = definitionsOf(turn)
  if (!users.get(user_id)?.is_agent) return
  const { type, ticket, created_by, data } = news
  const chat_user = news.contact_id ?? ticket?.chat_user ?? null
  const { company_id, project_id } = turn.state
  const owned = { _id: objectId(), company_id, project_id, user_id }
  const about = { type, ticket_id: ticket?._id ?? null, chat_user, created_by, data }
  const row: Notification = { ...owned, ...about, created_at: turn.now, read_at: null }
  turn.insert(Notification, row)
  turn.live(project_id, () => {
    const name = turn.records.find(contactReads)?.by_id.get(chat_user ?? '')?.name
    const { full_name } = users.get(created_by ?? '') ?? {}
    return { type: 'notification.created', user_id, data: toNotificationRecord({ notification: row, name, full_name }) }
  })
}

/** Requests of the inbox that are more than a reading. No DOM. */
import type { ProjectApi } from '../../../data/project_api.ts'

/** The agent has read a ticket up to a message; without one, all of it. */
export function markRead(api: Pick<ProjectApi, 'post'>, ticket_id: string, message_id?: string) {
  return api.post(`inbox/tickets/${ticket_id}/read`, { ...(message_id && { message_id }) })
}

/** The ticket is unread for the agent again, from the last message of the person on. */
export function markUnread(api: Pick<ProjectApi, 'delete'>, ticket_id: string) {
  return api.delete(`inbox/tickets/${ticket_id}/read`)
}

/** Sends a failed message again, as a new one. However often it is asked for, it is sent once. */
export function retryMessage(api: ProjectApi, message_id: string) {
  return api.post(`messages/${message_id}/retry`)
}

/** Has a file of a person fetched from its provider now. */
export function fetchMedia(api: ProjectApi, media_id: string) {
  return api.post(`media/${media_id}/fetch`)
}

/** Requests of the inbox that are more than a reading. No DOM. */

/** @typedef {import('../../data/project_api.js').ProjectApi} ProjectApi */

/**
 * The agent has read a ticket up to a message; without one, all of it.
 *
 * @param {ProjectApi} api
 * @param {string} ticket_id
 * @param {string} [message_id]
 */
export function markRead(api, ticket_id, message_id) {
  return api.post(`inbox/tickets/${ticket_id}/read`, { ...(message_id && { message_id }) })
}

/**
 * The ticket is unread for the agent again, from the last message of the person on.
 *
 * @param {ProjectApi} api
 * @param {string} ticket_id
 */
export function markUnread(api, ticket_id) {
  return api.delete(`inbox/tickets/${ticket_id}/read`)
}

/**
 * Sends a failed message again, as a new one. However often it is asked for, it is sent once.
 *
 * @param {ProjectApi} api
 * @param {string} message_id
 */
export function retryMessage(api, message_id) {
  return api.post(`messages/${message_id}/retry`)
}

/** The places of the console, as the part of the address after `#`. No DOM. */
import { STATUSES } from './records.js'

/** @typedef {import('../page_types/place.ts').Place} Place */
/** @typedef {import('../page_types/broadcast.ts').BroadcastFilter} BroadcastFilter */
/** @typedef {import('../page_types/broadcast.ts').RecipientStatus} RecipientStatus */

/** @type {RecipientStatus[]} */
const RECIPIENT_STATUSES = ['pending', 'sent', 'delivered', 'read', 'failed']

/**
 * The place that the address names.
 *
 * @param {string} hash
 * @returns {Place}
 */
export function placeOf(hash) {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?')
  const query = new URLSearchParams(search)
  const parts = path.split('/').filter(Boolean).map(decode)
  if (parts.length === 0) return { page: 'start' }
  const [projects, project_id, section, id, ...more] = parts
  if (projects !== 'projects' || !project_id || more.length > 0) return { page: 'nowhere' }
  if (section === undefined) return { page: 'broadcasts', project_id, filter: {} }
  if (section !== 'broadcasts') return { page: 'nowhere', project_id }
  if (id === undefined) return { page: 'broadcasts', project_id, filter: filterOf(query) }
  const recipients = RECIPIENT_STATUSES.find((one) => one === query.get('recipients'))
  return { page: 'broadcast', project_id, id, recipients }
}

/**
 * The address of the broadcasts of a project that match a filter.
 *
 * @param {string} project_id
 * @param {BroadcastFilter} filter
 */
export function broadcastsPlace(project_id, filter = {}) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) if (value) query.set(name, value)
  return `#/projects/${encodeURIComponent(project_id)}/broadcasts${query.size > 0 ? `?${query}` : ''}`
}

/**
 * The address of a broadcast, with its recipients of a status.
 *
 * @param {string} project_id
 * @param {string} id
 * @param {RecipientStatus} [recipients]
 */
export function broadcastPlace(project_id, id, recipients) {
  const query = recipients ? `?recipients=${recipients}` : ''
  return `#/projects/${encodeURIComponent(project_id)}/broadcasts/${encodeURIComponent(id)}${query}`
}

/**
 * @param {URLSearchParams} query
 * @returns {BroadcastFilter}
 */
function filterOf(query) {
  const status = STATUSES.find((one) => one === query.get('status'))
  const campaign_name = query.get('campaign_name')?.trim()
  return { ...(status && { status }), ...(campaign_name && { campaign_name }) }
}

/**
 * A malformed escape stays unchanged and will match nothing.
 *
 * @param {string} text
 */
function decode(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

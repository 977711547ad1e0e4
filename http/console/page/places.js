/** The places of the console, as the part of the address after `#`. No DOM. */
import { STATUSES } from './records.js'

const RECIPIENT_STATUSES = ['pending', 'sent', 'delivered', 'read', 'failed']

/** `{ page: 'start' | 'broadcasts' | 'broadcast' | 'nowhere', … }` */
export function placeOf(hash) {
  const [path, search = ''] = hash.replace(/^#\/?/, '').split('?')
  const query = new URLSearchParams(search)
  const parts = path.split('/').filter(Boolean).map(decode)
  if (parts.length === 0) return { page: 'start' }
  const [projects, project_id, section, id, ...more] = parts
  if (projects !== 'projects' || !project_id || more.length > 0) return { page: 'nowhere' }
  if (section === undefined) return { page: 'broadcasts', project_id, filter: {} }
  if (section !== 'broadcasts') return { page: 'nowhere', project_id }
  if (id === undefined) return { page: 'broadcasts', project_id, filter: filterOf(query) }
  const status = query.get('recipients')
  return { page: 'broadcast', project_id, id, recipients: RECIPIENT_STATUSES.includes(status) ? status : undefined }
}

export function broadcastsPlace(project_id, filter = {}) {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value))
  return `#/projects/${encodeURIComponent(project_id)}/broadcasts${query.size > 0 ? `?${query}` : ''}`
}

export function broadcastPlace(project_id, id, recipients) {
  const query = recipients ? `?recipients=${recipients}` : ''
  return `#/projects/${encodeURIComponent(project_id)}/broadcasts/${encodeURIComponent(id)}${query}`
}

function filterOf(query) {
  const status = query.get('status')
  const campaign_name = query.get('campaign_name')?.trim()
  return { ...(STATUSES.includes(status) && { status }), ...(campaign_name && { campaign_name }) }
}

/** A malformed escape stays unchanged and will match nothing. */
function decode(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

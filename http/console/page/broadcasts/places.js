/** The places of broadcasts. No DOM. */
import { addressOf } from '../app/places.js'
import { STATUSES } from './records.js'

/** @typedef {import('../../page_types/place.ts').Place} Place */
/** @typedef {import('../../page_types/broadcast.ts').BroadcastFilter} BroadcastFilter */
/** @typedef {import('../../page_types/broadcast.ts').RecipientStatus} RecipientStatus */
/**
 * The list with its filter, the page that composes one, or one broadcast with the status of the recipients that are
 * shown; without it all are.
 *
 * @typedef {{ page: 'list', filter: BroadcastFilter }
 *   | { page: 'new' }
 *   | { page: 'one', id: string, recipients: RecipientStatus | undefined }} BroadcastsPlace
 */

/** The address of the page that composes a broadcast. No id is like it. */
const NEW = 'new'
/** @type {RecipientStatus[]} */
const RECIPIENT_STATUSES = ['pending', 'sent', 'delivered', 'read', 'failed']

/**
 * Undefined when the address is wrong.
 *
 * @param {Place} place
 * @returns {BroadcastsPlace | undefined}
 */
export function broadcastsPlaceOf({ path: [id, ...more], query }) {
  if (more.length > 0) return undefined
  if (id === undefined) return { page: 'list', filter: filterOf(query) }
  if (id === NEW) return { page: 'new' }
  return { page: 'one', id, recipients: RECIPIENT_STATUSES.find((one) => one === query.recipients) }
}

/**
 * The address of the broadcasts of a project that match a filter.
 *
 * @param {string} project_id
 * @param {BroadcastFilter} filter
 */
export function broadcastsPlace(project_id, filter = {}) {
  return addressOf(project_id, 'broadcasts', [], { ...filter })
}

/**
 * The address of the page that composes a broadcast.
 *
 * @param {string} project_id
 */
export function newBroadcastPlace(project_id) {
  return addressOf(project_id, 'broadcasts', [NEW])
}

/**
 * The address of a broadcast, with its recipients of a status.
 *
 * @param {string} project_id
 * @param {string} id
 * @param {RecipientStatus} [recipients]
 */
export function broadcastPlace(project_id, id, recipients) {
  return addressOf(project_id, 'broadcasts', [id], { recipients })
}

/**
 * @param {Record<string, string>} query
 * @returns {BroadcastFilter}
 */
function filterOf(query) {
  const status = STATUSES.find((one) => one === query.status)
  const search = query.search?.trim()
  return { ...(status && { status }), ...(search && { search }) }
}

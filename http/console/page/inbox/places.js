/**
 * The places of the inbox: `inbox/{view}/{ticket}?{filter}`. A view is one of those below, or `view-{id}` of a saved one;
 * `inbox/contact/{contact}` leads to the open ticket of a contact. No DOM.
 */
import { addressOf } from '../app/places.js'

/** @typedef {import('../../page_types/place.ts').Place} Place */
/** @typedef {import('../../page_types/inbox.ts').InboxFilter} InboxFilter */
/**
 * `filter` is what the agent chose beside the view, `message_id` the message of the thread that is shown first.
 *
 * @typedef {{ view: string, ticket_id: string | undefined, contact_id: string | undefined, message_id?: string | undefined, filter: InboxFilter }} InboxPlace
 */

/** The views that every agent has, with what each asks the server for. */
export const VIEWS = /** @type {const} */ ([
  { view: 'mine', name: 'Mine', filter: { view: 'mine' } },
  { view: 'unassigned', name: 'Unassigned', filter: { view: 'unassigned' } },
  { view: 'all', name: 'All', filter: { view: 'all' } },
  { view: 'snoozed', name: 'Snoozed', filter: { view: 'all', is_snoozed: 'true' } },
  { view: 'closed', name: 'Closed', filter: { view: 'all', is_closed: 'true' } },
])

/** The parameters that an address may have. @type {readonly (keyof InboxFilter)[]} */
const FIELDS = [
  'stage_id',
  'channel_type',
  'channel_id',
  'tag_id',
  'priority',
  'assigned_to',
  'is_unread',
  'is_failed',
  'search',
  'sort',
]

const FIRST_VIEW = 'all'

/**
 * @param {Place} place
 * @returns {InboxPlace}
 */
export function inboxPlaceOf({ path: [view = FIRST_VIEW, id], query }) {
  /** @type {InboxFilter} */
  const filter = {}
  for (const field of FIELDS) {
    const value = query[field]
    if (value) filter[field] = value
  }
  if (view === 'contact') return { view: FIRST_VIEW, ticket_id: undefined, contact_id: id, filter }
  return { view, ticket_id: id, contact_id: undefined, message_id: query.message, filter }
}

/**
 * The address of a view, with a ticket and what the agent chose beside the view.
 *
 * @param {string} project_id
 * @param {{ view: string, ticket_id?: string | undefined, filter?: InboxFilter }} place
 */
export function inboxPlace(project_id, { view, ticket_id, filter = {} }) {
  return addressOf(project_id, 'inbox', [view, ticket_id], { ...filter })
}

/**
 * The request of a place to the server.
 *
 * @param {Pick<InboxPlace, 'view' | 'filter'>} place
 * @param {readonly { _id: string, filter: InboxFilter }[]} saved views
 * @returns {InboxFilter}
 */
export function requestOf({ view, filter }, saved) {
  const own = [...VIEWS, ...saved.map((one) => ({ view: `view-${one._id}`, filter: one.filter }))]
  return { ...own.find((one) => one.view === view)?.filter, ...filter }
}

/**
 * The content of a place of the inbox, as the snapshot of the project takes it; undefined for other places.
 *
 * @param {Place} place
 */
export function shownAt(place) {
  if (place.section !== 'inbox') return undefined
  const wanted = inboxPlaceOf(place)
  const { view, ticket_id } = wanted
  return { ...requestOf(wanted, []), ticket_id, saved_view: isSaved(view) ? view.slice('view-'.length) : undefined }
}

/** @param {string} view */
export function isSaved(view) {
  return view.startsWith('view-')
}

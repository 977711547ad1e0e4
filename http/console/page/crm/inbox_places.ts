/**
 * The places of the inbox: `inbox/{view}/{ticket}?{filter}`. A view is one of those below, or `view-{id}` of a saved one;
 * `inbox/contact/{contact}` leads to the open ticket of a contact. No DOM.
 */

import type { Place } from '../data/place.ts'
import { addressOf } from '../data/places.ts'
import type { InboxFilter } from '../records/inbox.ts'

/** `filter` is what the agent chose beside the view, `message_id` the message of the thread that is shown first. */
type InboxPlace = {
  view: string
  ticket_id: string | undefined
  contact_id: string | undefined
  message_id?: string | undefined
  filter: InboxFilter
}

/** The views that every agent has, with what each asks the server for. */
export const VIEWS = [
  { view: 'mine', name: 'Mine', filter: { view: 'mine' } },
  { view: 'unassigned', name: 'Unassigned', filter: { view: 'unassigned' } },
  { view: 'all', name: 'All', filter: { view: 'all' } },
  { view: 'snoozed', name: 'Snoozed', filter: { view: 'all', is_snoozed: 'true' } },
  { view: 'closed', name: 'Closed', filter: { view: 'all', is_closed: 'true' } },
] as const

/** The parameters that an address may have. */
const FIELDS: readonly (keyof InboxFilter)[] = [
  'stage_id',
  'channel_type',
  'channel_id',
  'tag_id',
  'priority',
  'assigned_to',
  'handled_by',
  'is_unread',
  'is_failed',
  'search',
  'sort',
]

const FIRST_VIEW = 'all'

export function inboxPlaceOf({ path: [view = FIRST_VIEW, id], query }: Place): InboxPlace {
  const filter: InboxFilter = {}
  for (const field of FIELDS) {
    const value = query[field]
    if (value) filter[field] = value
  }
  if (view === 'contact') return { view: FIRST_VIEW, ticket_id: undefined, contact_id: id, filter }
  return { view, ticket_id: id, contact_id: undefined, message_id: query.message, filter }
}

/** The address of a view, with a ticket and what the agent chose beside the view. */
export function inboxPlace(
  project_id: string,
  { view, ticket_id, filter = {} }: { view: string; ticket_id?: string | undefined; filter?: InboxFilter },
) {
  return addressOf(project_id, 'inbox', [view, ticket_id], { ...filter })
}

/**
 * The request of a place to the server.
 *
 * @param saved views
 */
export function requestOf(
  { view, filter }: Pick<InboxPlace, 'view' | 'filter'>,
  saved: readonly { _id: string; filter: InboxFilter }[],
): InboxFilter {
  const own = [...VIEWS, ...saved.map((one) => ({ view: `view-${one._id}`, filter: one.filter }))]
  return { ...own.find((one) => one.view === view)?.filter, ...filter }
}

/** The content of a place of the inbox, as the snapshot of the project takes it; undefined for other places. */
export function shownAt(place: Place) {
  if (place.section !== 'inbox') return undefined
  const target = inboxPlaceOf(place)
  const { view, ticket_id } = target
  return { ...requestOf(target, []), ticket_id, saved_view: isSaved(view) ? view.slice('view-'.length) : undefined }
}

export function isSaved(view: string) {
  return view.startsWith('view-')
}

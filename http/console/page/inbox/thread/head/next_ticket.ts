/** The way from an open ticket to the next one of the list, which keeps the view and its filters. */

import { inboxPlace, inboxPlaceOf } from '../../../crm/inbox_places.ts'
import { placeOf } from '../../../data/places.ts'

/**
 * The ticket after this one in the list, or else the one before it; undefined where the list has neither.
 *
 * @public for tests
 */
export function neighborOf(ids: readonly string[], ticket_id: string) {
  const at = ids.indexOf(ticket_id)
  return at < 0 ? undefined : (ids[at + 1] ?? ids[at - 1])
}

/** Opens a ticket in the view that the address names. */
export function goToTicket(project_id: string, ticket_id: string) {
  const { view, filter } = inboxPlaceOf(placeOf(location.hash))
  location.hash = inboxPlace(project_id, { view, ticket_id, filter })
}

/** Leaves the open ticket for the list of the view that the address names. */
export function goToList(project_id: string) {
  const { view, filter } = inboxPlaceOf(placeOf(location.hash))
  location.hash = inboxPlace(project_id, { view, filter })
}

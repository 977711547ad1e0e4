/**
 * The places of contacts and customers: `contacts?search=&channel_type=`, `contacts/{id}`, `contacts/customers?search=` and
 * `contacts/customers/{id}`. No DOM.
 */
import { addressOf } from '../app/places.js'

/** @typedef {'contact' | 'customer'} Kind */
/** @typedef {{ search?: string | undefined, channel_type?: string | undefined }} PeopleFilter */

/**
 * @param {import('../../page_types/place.ts').Place} place
 * @returns {{ kind: Kind, id: string | undefined, filter: PeopleFilter }}
 */
export function peoplePlaceOf({ path: [first, second], query: { search, channel_type } }) {
  const is_customer = first === 'customers'
  const filter = { ...(search && { search }), ...(channel_type && !is_customer && { channel_type }) }
  return { kind: is_customer ? 'customer' : 'contact', id: is_customer ? second : first, filter }
}

/**
 * @param {string} project_id
 * @param {Kind} kind
 * @param {string} [id]
 * @param {PeopleFilter} [filter]
 */
export function peoplePlace(project_id, kind, id, filter = {}) {
  return addressOf(project_id, 'contacts', [kind === 'customer' ? 'customers' : undefined, id], { ...filter })
}

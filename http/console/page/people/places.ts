/**
 * The places of contacts and customers: `contacts?search=&channel_type=`, `contacts/{id}`, `contacts/customers?search=` and
 * `contacts/customers/{id}`. No DOM.
 */
import type { Place } from '../data/place.ts'
import { addressOf } from '../data/places.ts'

export type Kind = 'contact' | 'customer'
export type PeopleFilter = { search?: string | undefined; channel_type?: string | undefined }

export function peoplePlaceOf({ path: [first, second], query: { search, channel_type } }: Place): {
  kind: Kind
  id: string | undefined
  filter: PeopleFilter
} {
  const is_customer = first === 'customers'
  const filter = { ...(search && { search }), ...(channel_type && !is_customer && { channel_type }) }
  return { kind: is_customer ? 'customer' : 'contact', id: is_customer ? second : first, filter }
}

export function peoplePlace(project_id: string, kind: Kind, id?: string, filter: PeopleFilter = {}) {
  return addressOf(project_id, 'contacts', [kind === 'customer' ? 'customers' : undefined, id], { ...filter })
}

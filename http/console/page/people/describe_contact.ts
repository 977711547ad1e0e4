import { personName } from '../ui/format/format.ts'

/** The name and what tells two contacts of one name apart: `Ana Torres (+34611000000)`. */
export function describeContact(contact: { name?: string | null; phone?: string | null; user_id?: string }): string {
  const name = personName(contact)
  const place = contact.phone ?? contact.user_id
  return place === undefined || place === name ? name : `${name} (${place})`
}

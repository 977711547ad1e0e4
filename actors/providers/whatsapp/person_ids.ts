/** Ids of people in calls of WhatsApp. An id counts by its form, whatever field it comes in. */
import { BSUID } from '../../phone.ts'
import { textOf } from '../json.ts'

/** The longest id that a contact may have. */
const LONGEST = 256

/** The number in the form of the contact's `user_id`. Null for an id of another form. */
export function digits(number: unknown): string | null {
  const text = textOf(number)
  if (text === null || text.length > LONGEST || BSUID.test(text)) return null
  const bare = text.replace(/[\s()+.-]/g, '')
  return (/^\d+$/.test(bare) ? bare : text.replace(/^\+/, '')) || null
}

/** The business-scoped id. Null for a number. */
export function scopedId(id: unknown): string | null {
  const text = textOf(id)
  return text !== null && BSUID.test(text) ? text : null
}

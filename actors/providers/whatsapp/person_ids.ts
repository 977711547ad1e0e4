/** Ids of people in calls of WhatsApp. An id counts by its form, whatever field it comes in. */
import { BSUID } from '../../values/phone.ts'
import { type Json, objects, textOf } from '../json.ts'
import type { ProvenIds } from '../provider.ts'

/** The longest id that a contact may have. */
const MAX_LENGTH = 256

/** The number in the form of the contact's `user_id`. Null for an id of another form. */
export function digits(number: unknown): string | null {
  const text = textOf(number)
  if (text === null || text.length > MAX_LENGTH || BSUID.test(text)) return null
  const bare = text.replace(/[\s()+.-]/g, '')
  return (/^\d+$/.test(bare) ? bare : text.replace(/^\+/, '')) || null
}

/** The business-scoped id. Null for a number. */
export function scopedId(id: unknown): string | null {
  const text = textOf(id)
  return text !== null && BSUID.test(text) ? text : null
}

/** The first number and the first business-scoped id of these, where there are both. */
export function bothIds(ids: readonly unknown[]): { proven?: ProvenIds } {
  const user_id = ids.map(digits).find((id) => id !== null && NUMBER.test(id))
  const bsuid = ids.map(scopedId).find(Boolean)
  return user_id && bsuid ? { proven: { user_id, bsuid } } : {}
}

const NUMBER = /^\d{5,20}$/

/** The contacts of a call, found by their ids: a call may have thousands of them, and as many messages. */
/** `is_sender`: the only contact beside the only message. */
export type People = { all: Json[]; is_sender: boolean; by_number: Map<string, number>; by_id: Map<string, number> }

export function peopleOf(value: Json): People {
  const all = objects(value.contacts)
  const by_number = new Map<string, number>()
  const by_id = new Map<string, number>()
  for (const [place, { wa_id, user_id, parent_user_id }] of all.entries()) {
    const number = digits(wa_id)
    if (number !== null && !by_number.has(number)) by_number.set(number, place)
    for (const id of [user_id, wa_id, parent_user_id].map(textOf)) {
      if (id !== null && !by_id.has(id)) by_id.set(id, place)
    }
  }
  return { all, is_sender: all.length === 1 && objects(value.messages).length === 1, by_number, by_id }
}

/** The first contact with this number, in digits, or with this id. */
export function personNamed({ all, by_number, by_id }: People, number: string | null, id: string | null) {
  const places = [number === null ? undefined : by_number.get(number), id === null ? undefined : by_id.get(id)]
  const known = places.filter((place) => place !== undefined)
  return known.length === 0 ? undefined : all[Math.min(...known)]
}

import * as v from 'valibot'
import { composedText, maxCharacters, minCharacters, plainIdPattern } from '../../actors/mod.ts'
import { beginOnce, limit, offset, recordCursor } from '../server/schema/fields.ts'

/** Field schemas that several operator resources share. Every message says which values are accepted. */

export const name = v.pipe(v.string('must be a string'), composedText(), v.trim(), minCharacters(1), maxCharacters(150))

export const objectId = v.pipe(
  v.string('must be a string'),
  v.regex(plainIdPattern, 'must be an id of 24 hex digits, as returned in _id'),
  v.toLowerCase(),
)

export const flag = v.boolean('must be true or false')

/** `limit` and `offset` of an operator list. */
export const paging = { limit, offset }

/** The query of a list of records in the order of their creation. */
export function recordList<Entries extends v.ObjectEntries>(entries: Entries) {
  return v.pipe(v.strictObject({ ...paging, cursor: recordCursor, ...entries }), beginOnce())
}

/** A timestamp of a response: ISO 8601 UTC with milliseconds. */
export { timestamp } from '../../actors/mod.ts'
/** The answer of such a list (`recordsOf`), and of one in another order (`listOf`). */
export { countedPageOf as listOf, followedPageOf as recordsOf } from '../server/schema/fields.ts'

import * as v from 'valibot'
import { composedText } from '../server/schema/composed_text.ts'
import { limit, offset, plainIdPattern } from '../server/schema/fields.ts'
import { maxCharacters, minCharacters } from '../server/schema/length.ts'

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

/** The answer of an operator list. */
export { countedPageOf as listOf } from '../server/schema/fields.ts'

/** A timestamp of a response: ISO 8601 UTC with milliseconds. */
export const timestamp = v.pipe(v.string(), v.isoTimestamp())

import * as v from 'valibot'
import { composedText } from '../server/schema/composed_text.ts'
import { plainIdPattern } from '../server/schema/fields.ts'
import { maxCharacters, minCharacters } from '../server/schema/length.ts'

/** Field schemas that several operator resources share. Every message says which values are accepted. */

export const name = v.pipe(v.string('must be a string'), composedText(), v.trim(), minCharacters(1), maxCharacters(150))

export const objectId = v.pipe(
  v.string('must be a string'),
  v.regex(plainIdPattern, 'must be an id of 24 hex digits, as returned in _id'),
  v.toLowerCase(),
)

export const flag = v.boolean('must be true or false')

/** `limit` and `offset` of an operator list. Values of a query string are texts. */
export const paging = {
  limit: v.optional(wholeNumber(1, 200), '50'),
  offset: v.optional(wholeNumber(0, 1_000_000_000), '0'),
}

/** A timestamp of a response: ISO 8601 UTC with milliseconds. */
export const timestamp = v.pipe(v.string(), v.isoTimestamp())

/** The answer of an operator list. */
export function listOf<Record extends v.GenericSchema>(record: Record) {
  return v.object({ data: v.array(record), total: v.number(), limit: v.number(), offset: v.number() })
}

function wholeNumber(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`
  return v.pipe(
    v.string(message),
    v.regex(/^\d{1,10}$/, message),
    v.transform(Number),
    v.minValue(least, message),
    v.maxValue(most, message),
  )
}

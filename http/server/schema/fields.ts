import * as v from 'valibot'
import { across, composedText, fieldsOf, idPattern, maxCharacters, plainIdPattern } from '../../../actors/mod.ts'
import { MOMENT_PLACE, phoneIn } from '../../../storage/mod.ts'

/** Schemas that several routes share. A text continues the name of its field: "limit must be …". */

const OWN_ID = /^(?:(?:msg|dlv|wh|evt|brd)_)?[0-9a-f]{24}$/i

/** For fields that take ids of ours or of a provider: only ours may be written in either case. */
export const lowerOwnId = v.transform((id: string) => (OWN_ID.test(id) ? id.toLowerCase() : id))

/** Records of a page at most. */
const MAX_PAGE = 200

/** `limit` of a list: a whole number in a query string. */
export const limit = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, 'must be a whole number from 1 to 200'),
    v.transform(Number),
    v.minValue(1),
    v.maxValue(MAX_PAGE),
  ),
  '50',
)

/** Records of a list that is answered whole where the client sets no `limit`. */
const MAX_WHOLE = 1000

/** `limit` of such a list. */
export const wholeLimit = v.optional(
  v.pipe(limit.wrapped, v.description(`Maximum records of the page. Without it, all of them, at most ${MAX_WHOLE}`)),
)

/** `offset` of a list with random access. */
export const offset = v.optional(
  v.pipe(v.string(), v.regex(/^\d{1,9}$/, 'must be a whole number, 0 or more'), v.transform(Number)),
  '0',
)

/** `order` of a list with `sort`. */
export function order(usual: 'asc' | 'desc') {
  return v.optional(v.picklist(['asc', 'desc']), usual)
}

/** `true` or `false` in a query. */
export const flagQuery = v.pipe(
  v.picklist(['true', 'false']),
  v.transform((text) => text === 'true'),
)

/** A literal text that matching entries contain. The empty text matches every entry. */
export const search = v.optional(
  v.pipe(v.string(), composedText(), maxCharacters(200), v.regex(/^\P{Cc}*$/u, 'must not contain control characters')),
)

/** A phone number in a query, with or without blanks. A `+` that was not written as %2B arrives as a space. */
export const phoneQuery = v.optional(
  v.pipe(
    v.string(),
    maxCharacters(64),
    v.transform((text) => text.replace(/^ /, '+')),
    v.transform((text) => phoneIn(text) ?? text),
  ),
)

const has_more = v.pipe(v.boolean(), v.description('False on the last page'))
const window = { limit: v.number(), offset: v.number() }

/** A page of a list with random access. */
export function countedPageOf<Row extends v.GenericSchema>(row: Row) {
  return v.object({ data: v.array(row), total: v.number(), ...window, has_more })
}

/** A page of a list with random access that goes on after it by `cursor`. */
export function followedPageOf<Row extends v.GenericSchema>(row: Row) {
  return v.object({ ...countedPageOf(row).entries, next_cursor: v.nullable(v.string()) })
}

/** Refuses `offset` beside `cursor`: each says where the page begins. */
export function beginOnce<Input>() {
  return across<Input>((value, say) => {
    const { cursor, offset } = fieldsOf(value)
    if (cursor !== undefined && Number(offset) > 0) say('must not come with cursor', ['offset'])
  })
}

/** A page of a list with random access that does not count its records. */
export function uncountedPageOf<Row extends v.GenericSchema>(row: Row) {
  return v.object({ data: v.array(row), ...window, has_more })
}

type Window = { limit: number; offset: number }

/** The answer of such a list of `total` records. */
export function countedPage<Row>(data: Row[], total: number, { limit, offset }: Window) {
  return { data, total, limit, offset, has_more: data.length > 0 && offset + data.length < total }
}

/** One page of all records of a small list. */
export function pageAmong<Row>(
  all: readonly Row[],
  { limit = MAX_WHOLE, offset }: { limit?: number | undefined; offset: number },
) {
  return { data: all.slice(offset, offset + limit), limit, offset, has_more: all.length > offset + limit }
}

/** `cursor` of a list: the `next_cursor` of the page before. */
export function cursor(prefix: 'msg' | 'dlv' | 'brd' | 'wh') {
  return v.optional(
    v.pipe(
      v.string(),
      v.regex(idPattern(prefix), `must be the next_cursor of a page, such as ${prefix}_…`),
      v.toLowerCase(),
    ),
  )
}

/** `cursor` of a list of records whose ids have no prefix. */
export const recordCursor = v.optional(
  v.pipe(
    v.string(),
    v.regex(plainIdPattern, 'must be the next_cursor of a page, an id of 24 hex digits'),
    v.toLowerCase(),
  ),
)

const OTHER_SORT = 'must be the next_cursor of a page of the same sort'

/** `cursor` of a list with `sort`, by creation or by another moment. */
export const sortedCursor = v.optional(v.pipe(v.string(), v.toLowerCase(), v.regex(MOMENT_PLACE, OTHER_SORT)))

/** Refuses a `cursor` of a page that was ordered by another moment. */
export function ofSameSort<Input>() {
  return across<Input>((value, say) => {
    const { cursor, sort } = fieldsOf(value)
    if (typeof cursor !== 'string' || cursor.includes('-') === (sort !== 'created_at')) return
    say(OTHER_SORT, ['cursor'])
  })
}

/** A page of a list in order from newest to oldest. */
export function pageOf<Row extends v.GenericSchema>(row: Row) {
  return v.object({ data: v.array(row), next_cursor: v.nullable(v.string()), has_more })
}

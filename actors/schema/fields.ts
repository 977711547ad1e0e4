/** Schemas of fields that many records have. A text continues the name of its field: "limit must be …". */
import * as v from 'valibot'

/** Pattern of an id without prefix. Ids are accepted in either case, and are lower case from then on. */
export const plainIdPattern = /^[0-9a-f]{24}$/i

/** The id of a record without prefix. */
export const recordId = v.pipe(v.string(), v.regex(plainIdPattern, 'must be an id of 24 hex digits'), v.toLowerCase())

/** Pattern of an id with its prefix, in either case. */
export function idPattern(prefix: 'msg' | 'dlv' | 'wh' | 'evt' | 'brd'): RegExp {
  return new RegExp(`^${prefix}_[0-9a-f]{24}$`, 'i')
}

/** The id of a record that has a prefix. */
export function idWithPrefix(prefix: Parameters<typeof idPattern>[0]) {
  return v.pipe(v.string(), v.regex(idPattern(prefix)))
}

/** ISO 8601 in UTC with milliseconds. In memory it is a `Date`, until the record is written as JSON: see `InMemory`. */
export const timestamp = v.pipe(v.string(), v.isoTimestamp(), v.flavor('timestamp'))

/** The same in a column of JSON: a text in memory, too. */
export const jsonTimestamp = v.pipe(v.string(), v.isoTimestamp())

type Timestamp = v.Flavor<'timestamp'>

/** A record before it is written as JSON: its timestamps are dates. */
export type InMemory<Value> = Value extends string
  ? Value extends Timestamp
    ? Date
    : Value
  : Value extends object
    ? { [Key in keyof Value]: InMemory<Value[Key]> }
    : Value

/**
 * An object with free names, at most 1000 or `max_properties`. Its bounded form (`linear_schemas.ts`) refuses lists, which
 * valibot's own record takes for objects, and the names that valibot would drop.
 */
export function dictionary<Value extends v.GenericSchema>(value: Value, max_properties?: number) {
  return { ...v.record(v.string(), value), max_properties }
}

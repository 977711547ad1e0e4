import { isExactNumber } from '../values/exact_number.ts'
import { isObject } from '../values/is_object.ts'
import { storable } from '../values/storable.ts'
import { nestsTooDeep } from './nesting.ts'

export { isObject }

export type Json = Record<string, unknown>

/** The objects of a list; empty when it is not a list. */
export function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null
}

/** A character that PostgreSQL cannot store. */
const SUSPICIOUS = /\\u(?:0000|[dD][89a-fA-F])/

/** Where a number may begin that a double does not hold; it may also be in a text. */
const LONG_NUMBER = /[:,[]\s*-?(?:\d[\d.]{15}|\d[\d.]*[eE])/

/**
 * The JSON of a webhook call; undefined when it is invalid, or nests too deep. A byte order mark before it is passed over.
 * NUL and halves of surrogate pairs become U+FFFD: PostgreSQL can store neither, and one such message would block all
 * others. A number that would be rounded becomes a text of its digits: an order's number must stay what it is.
 */
export function parseCall(raw: string): unknown {
  const text = raw.startsWith('\ufeff') ? raw.slice(1) : raw
  if (nestsTooDeep(text)) return undefined
  try {
    if (!SUSPICIOUS.test(text) && !LONG_NUMBER.test(text)) return JSON.parse(text)
    return JSON.parse(text, storableValue as Parameters<typeof JSON.parse>[1])
  } catch {
    return undefined
  }
}

function storableValue(_name: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value === 'string') return storable(value)
  if (typeof value === 'number') return source === undefined || isExactNumber(source) ? value : source
  return withStorableKeys(value)
}

function withStorableKeys(value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [storable(key), each]))
}

/** The JSON of a provider's answer. Undefined when it is not JSON, is incomplete, or nests too deep. */
export function parseAnswer({ is_complete, body }: { is_complete: boolean; body: Buffer }): unknown {
  return is_complete ? parseCall(body.toString()) : undefined
}

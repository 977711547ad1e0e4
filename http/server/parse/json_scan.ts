/**
 * Scans the bytes of a JSON text before parsing, for content that makes JSON.parse slow or its result hard to walk:
 * nesting, objects of very many properties, and very many different short strings. V8 keeps names and short texts in
 * one table and makes a hidden class for each new combination of names. Filling these costs up to 1.4 µs an entry,
 * which is 140 ms for a megabyte of them; other JSON costs 5. Many small values cost more than their bytes, too, so that a
 * body has no more of them than fit into a megabyte.
 *
 * The same pass finds the numbers that JSON.parse would round: an order number of 19 digits would become that of somebody
 * else. One pass of about 3 ms a megabyte. It does not check the syntax; JSON.parse does.
 */

import { isExactNumber } from '../../../actors/mod.ts'
import type { Violation } from '../errors/api_error.ts'
import { clip } from '../errors/clip.ts'

/** Deeper values are refused: none of our schemas nests so far, and code that walks values may recurse. */
const MAX_DEPTH = 32
/** Maximum properties of one object. */
const MAX_PROPERTIES = 2000
/** Different names allowed in any body, and bytes required for each further one. */
const FREE_NAMES = 2000
const BYTES_PER_NAME = 40
/** Maximum values of any body. */
const MAX_VALUES = 550_000
/** Bytes of the shortest property, such as `"":0`. */
const MIN_NAME = 4
/** The same for texts that V8 keeps like names. */
const FREE_TEXTS = 5000
const BYTES_PER_TEXT = 16
const MAX_KEPT_TEXT_LENGTH = 10

/** The strings seen before, by their hash: a power of two of places, each with the last string that fell into it. */
const PLACES = 1 << 16
const seen = new Int32Array(PLACES)
/** Unknown to clients, so that they cannot choose colliding strings. */
const SEED = (Math.random() * 0x7fffffff) | 1

export type Excess = { path: string; message: string; code: 'too_deep' | 'too_many' }

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const PLUS = 0x2b
const SMALL_E = 0x65
const LARGE_E = 0x45
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/** Numbers of so many characters are exact, with exponents of two digits or none. */
const SHORT_NUMBER = 15
const MAX_EXPONENT_LENGTH = 'e99'.length
/** Maximum inexact numbers that an answer names. */
const MAX_INEXACT = 100

const INEXACT = 'must be a number that a double holds exactly; send an id or a longer number as a text'

/**
 * Returns the limit that is exceeded, and where. Undefined when the text may be parsed.
 * @param inexact gets a violation for each number of a valid text that would not stay what it is
 */
export function excessOf(bytes: Uint8Array, inexact: Violation[]): Excess | undefined {
  const { length } = bytes
  let names = FREE_NAMES + length / BYTES_PER_NAME
  let texts = FREE_TEXTS + length / BYTES_PER_TEXT
  let depth = 0
  let values = 0
  // A short text cannot hold more names than are free.
  const is_counted = length > FREE_NAMES * MIN_NAME
  if (is_counted) seen.fill(0)
  for (let at = 0; at < length; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) {
      const begin = at + 1
      let hash = SEED
      let end = begin
      for (; end < length; end++) {
        const inner = bytes[end]!
        if (inner === QUOTE) break
        // The escaped byte is hashed, too, and never ends the string.
        if (inner === BACKSLASH) hash = Math.imul(hash ^ bytes[++end]!, 0x01000193)
        hash = Math.imul(hash ^ inner, 0x01000193)
      }
      at = end
      const is_name = isColonNext(bytes, end + 1)
      if (is_name && ++way.counts[depth]! > MAX_PROPERTIES) {
        const message = `must have at most ${MAX_PROPERTIES} properties`
        return { path: clip(way.path(bytes, depth - 1)), message, code: 'too_many' }
      }
      if (is_name) way.enter(depth, begin, end)
      else if (end - begin > MAX_KEPT_TEXT_LENGTH) continue
      if (!is_counted) continue
      hash ^= hash >>> 15
      const place = hash & (PLACES - 1)
      if (seen[place] === hash) continue
      seen[place] = hash
      if (is_name ? --names < 0 : --texts < 0) {
        const what = is_name ? 'different names of properties' : 'different short texts'
        return { path: '', message: `must not hold so many ${what} for its length`, code: 'too_many' }
      }
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > MAX_DEPTH) {
        const message = `must not nest deeper than ${MAX_DEPTH} levels`
        return { path: clip(way.path(bytes, MAX_DEPTH)), message, code: 'too_deep' }
      }
      way.open(depth, byte === OPEN_BRACKET)
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      // Text that closes more than it opened is not JSON.
      if (--depth < 0) return undefined
    } else if (byte === COMMA) {
      if (++values >= MAX_VALUES) {
        return { path: '', message: `must not hold more than ${MAX_VALUES} values`, code: 'too_many' }
      }
      if (way.is_list[depth] === 1) way.counts[depth]!++
    } else if (byte >= ZERO && byte <= NINE) {
      const begin = at
      const end = numberEnd(bytes, at)
      at = end - 1
      if (end - exponent > MAX_EXPONENT_LENGTH || end - begin > SHORT_NUMBER) {
        if (inexact.length >= MAX_INEXACT || isExactNumber(latin1(bytes, begin, end))) continue
        inexact.push({ path: clip(way.path(bytes, depth)), message: INEXACT, code: 'inexact_number' })
      }
    }
  }
  return undefined
}

/** Set by `numberEnd`: the place of the exponent's letter, or the end of a number without one. */
let exponent = 0

function numberEnd(bytes: Uint8Array, from: number): number {
  exponent = -1
  let at = from
  for (; at < bytes.length; at++) {
    const byte = bytes[at]!
    if ((byte >= ZERO && byte <= NINE) || byte === DOT) continue
    if (byte === SMALL_E || byte === LARGE_E) exponent = at
    else if (exponent < 0 || (byte !== PLUS && byte !== MINUS)) break
  }
  if (exponent < 0) exponent = at
  return at
}

function latin1(bytes: Uint8Array, begin: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + begin, end - begin).toString('latin1')
}

function isColonNext(bytes: Uint8Array, from: number): boolean {
  let at = from
  while (at < bytes.length && bytes[at]! <= 0x20) at++
  return bytes[at] === COLON
}

/** The path to the scan's position: for each level, whether it is a list, the number of items before, and the last name. */
class Way {
  readonly is_list = new Uint8Array(MAX_DEPTH + 1)
  readonly counts = new Uint32Array(MAX_DEPTH + 1)
  readonly #begins = new Uint32Array(MAX_DEPTH + 1)
  readonly #ends = new Uint32Array(MAX_DEPTH + 1)

  open(depth: number, is_list: boolean): void {
    this.is_list[depth] = is_list ? 1 : 0
    this.counts[depth] = 0
  }

  enter(depth: number, begin: number, end: number): void {
    this.#begins[depth] = begin
    this.#ends[depth] = end
  }

  path(bytes: Uint8Array, depth: number): string {
    const names: string[] = []
    for (let level = 1; level <= depth; level++) {
      if (this.is_list[level] === 1) names.push(String(this.counts[level]))
      else names.push(Buffer.from(bytes.subarray(this.#begins[level], this.#ends[level])).toString('utf8'))
    }
    return names.join('.')
  }
}

/** Shared by all scans: a scan ends before the next one begins. */
const way = new Way()

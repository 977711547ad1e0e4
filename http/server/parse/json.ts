import { isUtf8 } from 'node:buffer'
import type { Violation } from '../errors/api_error.ts'
import { clip } from '../errors/clip.ts'
import { excessOf } from './json_scan.ts'

/** Maximum violations of this kind that an answer names. */
const MAX_VIOLATIONS = 100

/** An escape for a character that PostgreSQL or a provider cannot store: NUL, or half of a surrogate pair. */
const SUSPICIOUS = /\\u(?:0000|[dD][89a-fA-F])/

export type Parsed = { value: unknown } | { violations: Violation[] }

/**
 * Parses a JSON body; a byte order mark before it is passed over. Bytes that are not UTF-8, NUL, lone surrogates, numbers
 * that would be rounded, and values that are nested too deep or hold too much are violations.
 */
export function parseJson(sent: Uint8Array): Parsed {
  const bytes = hasByteOrderMark(sent) ? sent.subarray(3) : sent
  if (!isUtf8(bytes)) return wrong('', 'must be encoded in UTF-8', 'malformed_json')
  const inexact: Violation[] = []
  const excess = excessOf(bytes, inexact)
  if (excess !== undefined) return { violations: [excess] }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return wrong('', `must be valid JSON: ${(error as Error).message.slice(0, 200)}`, 'malformed_json')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return wrong('', 'must be a JSON object', 'invalid_type')
  }
  if (inexact.length > 0) return { violations: inexact }
  if (!SUSPICIOUS.test(text)) return { value }
  const violations: Violation[] = []
  inspect(value, undefined, violations)
  return violations.length > 0 ? { violations } : { value }
}

function hasByteOrderMark([first, second, third]: Uint8Array): boolean {
  return first === 0xef && second === 0xbb && third === 0xbf
}

/** A step from the body to a value in it; the path is built only when it is reported. */
type Step = { before: Step | undefined; key: string | number }

function inspect(value: unknown, step: Step | undefined, found: Violation[]): void {
  if (found.length >= MAX_VIOLATIONS) return
  if (typeof value === 'string') {
    inspectText(value, step, found)
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (let key = 0; key < value.length; key++) inspect(value[key], { before: step, key }, found)
    return
  }
  for (const key in value) {
    const inner = { before: step, key }
    inspectText(key, inner, found)
    inspect((value as Record<string, unknown>)[key], inner, found)
  }
}

function pathOf(step: Step | undefined): string {
  const keys: string[] = []
  for (let at = step; at !== undefined; at = at.before) keys.unshift(String(at.key))
  return clip(keys.map(clip).join('.').toWellFormed().replaceAll('\0', '\\u0000'))
}

/** True when a text can be stored and sent on: no NUL, no half surrogate pairs. */
export function isCleanText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

function inspectText(text: string, step: Step | undefined, found: Violation[]): void {
  if (isCleanText(text)) return
  const message = 'must not contain NUL (\\u0000) or half of a surrogate pair'
  found.push({ path: pathOf(step), message, code: 'invalid_character' })
}

function wrong(path: string, message: string, code: string): Parsed {
  return { violations: [{ path, message, code }] }
}

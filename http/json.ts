import { isUtf8 } from 'node:buffer'
import type { Violation } from './failure.ts'

/** Deeper values are refused: nothing of ours nests so far, and code that walks values may recurse. */
const MAX_DEPTH = 32

/** An escape that could make a character PostgreSQL or a provider cannot hold: NUL, or half of a surrogate pair. */
const SUSPICIOUS = /\\u(?:0000|[dD][89a-fA-F])/

export type Parsed = { value: unknown } | { violations: Violation[] }

/** Parses a JSON body. Bytes that are not UTF-8, NUL, lone surrogates and deep nesting are violations. */
export function parseJson(bytes: Uint8Array): Parsed {
  if (!isUtf8(bytes)) return wrong('', 'must be encoded in UTF-8', 'malformed_json')
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
  const violations: Violation[] = []
  inspect(value, '', 1, SUSPICIOUS.test(text), violations)
  return violations.length > 0 ? { violations } : { value }
}

function inspect(value: unknown, path: string, depth: number, strings: boolean, found: Violation[]): void {
  if (found.length >= 100) return
  if (typeof value === 'string') {
    if (strings) inspectText(value, path, found)
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_DEPTH) {
    found.push({ path, message: `must not nest deeper than ${MAX_DEPTH} levels`, code: 'too_deep' })
    return
  }
  for (const key in value) {
    // Composed only where it may be needed: most bodies are clean.
    const inner = path === '' ? key : `${path}.${key}`
    if (strings) inspectText(key, inner, found)
    inspect((value as Record<string, unknown>)[key], inner, depth + 1, strings, found)
  }
}

/** Whether a text can be stored and sent on: no NUL, no half surrogate pairs. */
export function isCleanText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

function inspectText(text: string, path: string, found: Violation[]): void {
  if (isCleanText(text)) return
  found.push({
    path: path.toWellFormed().replaceAll('\0', '\\u0000'),
    message: 'must not contain NUL (\\u0000) or half of a surrogate pair',
    code: 'invalid_character',
  })
}

function wrong(path: string, message: string, code: string): Parsed {
  return { violations: [{ path, message, code }] }
}

import type { Violation } from './api_error.ts'
import { isCleanText } from './json.ts'

/** The parameters that can be read, and what is wrong with the rest. */
export type ParsedQuery = { value: Record<string, string>; violations: Violation[] }

/** Beyond this many the answer would help nobody. */
const MOST_VIOLATIONS = 100

/** Reads a query string. A parameter given twice is a violation: which of them was meant is anybody's guess. */
export function parseQuery(text: string): ParsedQuery {
  const value: Record<string, string> = Object.create(null)
  const violations: Violation[] = []
  for (const [name, content] of new URLSearchParams(text)) {
    if (violations.length >= MOST_VIOLATIONS) break
    if (name in value) violations.push({ path: name, message: 'must be given once', code: 'duplicate' })
    else if (!isCleanText(name) || !isCleanText(content)) {
      const path = name.replaceAll('\0', '\\u0000')
      violations.push({ path, message: 'must not contain NUL (%00)', code: 'invalid_character' })
    } else value[name] = content
  }
  return { value, violations }
}

import type * as v from 'valibot'
import type { Violation } from '../errors/api_error.ts'
import { type Former, formerNamesOf } from '../schema/former.ts'
import { isCleanText } from './json.ts'

/** The parsed parameters, and the violations of the rest. */
export type ParsedQuery = { value: Record<string, string>; violations: Violation[] }

/** More violations than this in an answer would not help. */
const MAX_VIOLATIONS = 100

/** More than any route takes. A query of a thousand tiny parameters costs as much as fifty requests. */
const MAX_PARAMETERS = 64

/** Reads a query string. A parameter given twice is a violation, because it is ambiguous. */
export function parseQuery(text: string): ParsedQuery {
  const value: Record<string, string> = Object.create(null)
  const violations: Violation[] = []
  const read = beginningOf(text)
  if (read !== text)
    violations.push({ path: '', message: `must have at most ${MAX_PARAMETERS} parameters`, code: 'too_many' })
  for (const [name, content] of new URLSearchParams(read)) {
    if (violations.length >= MAX_VIOLATIONS) break
    if (name in value) violations.push({ path: name, message: 'must be given once', code: 'duplicate' })
    else if (!isCleanText(name) || !isCleanText(content)) {
      const path = name.replaceAll('\0', '\\u0000')
      violations.push({ path, message: 'must not contain NUL (%00)', code: 'invalid_character' })
    } else value[name] = content
  }
  return { value, violations }
}

/**
 * Hands values under former names on as those of their names now, in place. `sent` has the former names that were used, by
 * their names now. A parameter under both names is a violation, because it is ambiguous.
 */
export function useNamesOfNow(value: Record<string, string>, former_names: ReadonlyMap<string, Former>) {
  const sent = new Map<string, string>()
  const violations: Violation[] = []
  for (const [name, { use }] of former_names) {
    const content = value[name]
    if (content === undefined) continue
    delete value[name]
    if (use in value)
      violations.push({ path: name, message: `means the same as ${use}: send ${use} alone`, code: 'duplicate' })
    else value[use] = content
    sent.set(use, name)
  }
  return { sent, violations }
}

/** Violations whose unknown parameters are answered with the known ones: a filter was meant, and removing it lists all. */
export function withKnownParameters(violations: Violation[], schema: v.GenericSchema | undefined): Violation[] {
  const former = formerNamesOf(schema)
  const all = Object.keys((schema as { entries?: object } | undefined)?.entries ?? {})
  const known = all.filter((name) => !former.has(name))
  const advice = known.length > 0 ? `the parameters are ${known.join(', ')}` : 'there are no parameters'
  return violations.map((one) =>
    one.code === 'unknown_property' ? { ...one, message: `is not known here; ${advice}` } : one,
  )
}

/** The parameters that are read. */
function beginningOf(text: string): string {
  let end = -1
  for (let count = 0; count < MAX_PARAMETERS; count++) {
    end = text.indexOf('&', end + 1)
    if (end < 0) return text
  }
  return text.slice(0, end)
}

import type { Violation } from './failure.ts'

/**
 * Lists that were sent in place of objects. valibot takes `[]` for an object without properties, and what it makes of it
 * is one: so what came in is held against what came out.
 */
export function listsForObjects(input: unknown, output: unknown, path = ''): Violation[] {
  if (typeof input !== 'object' || input === null || typeof output !== 'object' || output === null) return []
  if (Array.isArray(input) && !Array.isArray(output)) {
    return [{ path, message: 'must be an object', code: 'invalid_type' }]
  }
  const violations: Violation[] = []
  for (const key in output) {
    const [sent, made] = [(input as Record<string, unknown>)[key], (output as Record<string, unknown>)[key]]
    if (sent !== made) violations.push(...listsForObjects(sent, made, path === '' ? key : `${path}.${key}`))
  }
  return violations
}

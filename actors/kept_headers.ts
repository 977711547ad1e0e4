/** Configured headers that come back as answers show them. */
import { type Database, openHeaders, REDACTED } from '../storage/mod.ts'
import { refuse } from './refuse.ts'

/** The row that has the headers. */
type Holder = { _id: string; headers?: string | null }

/**
 * The new headers. A value that is still redacted, as answers show it, stays what it was; case does not matter in names.
 * @throws {Refusal} VALIDATION_ERROR when there is no such header, because `[redacted]` would be sent in its place
 */
export function mergeHeaders(
  database: Database,
  holder: Holder | undefined,
  headers: Record<string, string>,
): Record<string, string> {
  const stored = holder ? openHeaders(database, holder._id, holder.headers) : {}
  const known = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]))
  const unknown = Object.keys(headers).filter((name) => headers[name] === REDACTED && !known.has(name.toLowerCase()))
  if (unknown.length > 0) throw nothingToKeep(unknown)
  const kept = Object.entries(headers).map(([name, value]) => {
    return [name, value === REDACTED ? known.get(name.toLowerCase())! : value]
  })
  return Object.fromEntries(kept)
}

function nothingToKeep(names: string[]) {
  const message = 'keeps a present value, and there is no header of this name; send the value'
  const violations = names.map((name) => ({ path: `headers.${name}`, message, code: 'invalid_value' }))
  return refuse('VALIDATION_ERROR', { violations }, `headers.${names[0]} ${message}`)
}

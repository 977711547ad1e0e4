import { type AgentToolMethod, type Database, openHeaders, REDACTED } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'

/** The fields of a tool that clients set. */
export type AgentToolFields = {
  name: string
  description: string
  url: string
  method: AgentToolMethod
  headers: Record<string, string>
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>
  timeout_ms: number
  is_active: boolean
}

/**
 * The new headers. A value that is still redacted, as answers show it, stays what it was; case does not matter in names.
 * @throws {Refusal} VALIDATION_ERROR when a tool has no such header, because `[redacted]` would be sent in its place
 */
export function mergeHeaders(
  database: Database,
  tool: { _id: string; headers?: string | null } | undefined,
  headers: Record<string, string>,
): Record<string, string> {
  const stored = tool ? openHeaders(database, tool._id, tool.headers) : {}
  const known = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]))
  const unknown = Object.keys(headers).filter((name) => headers[name] === REDACTED && !known.has(name.toLowerCase()))
  if (unknown.length > 0) throw nothingToKeep(unknown)
  const kept = Object.entries(headers).map(([name, value]) => {
    return [name, value === REDACTED ? known.get(name.toLowerCase())! : value]
  })
  return Object.fromEntries(kept)
}

function nothingToKeep(names: string[]) {
  const message = 'keeps a present value, and the tool has no header of this name; send the value'
  const violations = names.map((name) => ({ path: `headers.${name}`, message, code: 'invalid_value' }))
  return refuse('VALIDATION_ERROR', { violations }, `headers.${names[0]} ${message}`)
}

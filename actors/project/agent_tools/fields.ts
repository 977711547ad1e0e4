import type { AgentToolMethod, Database } from '../../../storage/mod.ts'
import { headersOf, REDACTED } from '../../../storage/mod.ts'

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

/** Encrypts the headers for the row, because they may hold secrets. */
export function sealToolHeaders(database: Database, _id: string, headers: Record<string, string>): string | null {
  return Object.keys(headers).length === 0 ? null : database.vault.seal(_id, 'headers', JSON.stringify(headers))
}

/** The new headers. A value that is still redacted, as answers show it, stays what it was. */
export function mergeHeaders(
  database: Database,
  tool: { _id: string; headers?: string | null },
  headers: Record<string, string>,
): Record<string, string> {
  const known = headersOf(database, { _id: tool._id, headers: tool.headers ?? null })
  const kept = Object.entries(headers).map(([name, value]) => {
    const is_kept = value === REDACTED && Object.hasOwn(known, name)
    return [name, is_kept ? known[name] : value]
  })
  return Object.fromEntries(kept)
}

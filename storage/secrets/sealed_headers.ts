/** Headers that a client configured for requests to its own server. They may hold secrets, so rows have them encrypted. */
import type { Database } from '../database/database.ts'

/** Shown instead of the value of a header, which may be a secret. */
export const REDACTED = '[redacted]'

/** The headers for the row with this id; null when there are none. */
export function sealHeaders(database: Database, id: string, headers: Record<string, string>): string | null {
  return Object.keys(headers).length === 0 ? null : database.vault.seal(id, 'headers', JSON.stringify(headers))
}

/** The headers of the row with this id. */
export function openHeaders(database: Database, id: string, sealed: string | null | undefined): Record<string, string> {
  return sealed ? JSON.parse(database.vault.open(id, 'headers', sealed)) : {}
}

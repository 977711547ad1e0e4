/** Classifies database errors: the fault of the message, of the statements, of the server, or unknown. */

import { HistoryChanged } from '../storage/mod.ts'

/**
 * The meaning of a failed commit. All but `unknown` prove that nothing of it was applied.
 *  - `unknown`: no answer, or an inconclusive one.
 *  - `fenced`, `retired`, `repeated`: refused by the fence, by the counter, or by the settling.
 *  - `blocked`: other transactions hold rows that it needs, or it was cancelled.
 *  - `unavailable`: the server takes no commits at the moment (read-only, no resources, not admitting connections).
 *  - `held`: the database is not as this version expects (a missing column or function, a permission, a pooler in
 *    between, an internal error). No message is to blame.
 *  - `at-fault`: the message itself is to blame: its data violate a rule.
 */
export type Meaning = 'unknown' | 'fenced' | 'retired' | 'repeated' | 'blocked' | 'unavailable' | 'held' | 'at-fault'

/** Pause before what met trouble with the database is tried again. */
export const STORAGE_RETRY_MS = 250

const ENGINE: Record<string, Meaning> = { PL001: 'repeated', PL002: 'fenced', PL003: 'retired' }

export function classify(error: unknown): Meaning {
  const code = sqlState(error)
  // Nothing of it was sent: the server is not the one on which it was decided.
  if (error instanceof HistoryChanged) return 'retired'
  if (code === undefined) return 'unknown'
  const meaning = ENGINE[code]
  if (meaning) return meaning
  // 08 connection; 57P0x the server is shutting down and may have committed before it reported that.
  if (/^08|^57P/.test(code)) return 'unknown'
  // Lock timeout, cancelled, deadlock, serialization.
  if (/^55P03|^57014|^40/.test(code)) return 'blocked'
  // 25 read-only; 28 authorization; 3D no such database; 53 resources; 55000 not accepting connections; 58 system.
  if (/^25|^28|^3D|^53|^55000|^58/.test(code)) return 'unavailable'
  // 22 data, 23 constraints, 21 cardinality, 44 check option, P0 raised by a function, 54 too large.
  if (/^22|^23|^21|^44|^P0|^54/.test(code)) return 'at-fault'
  return 'held'
}

/** True for trouble with the database itself; false for an error of an actor's own code or data. */
export function isStorageTrouble(error: unknown): boolean {
  if (sqlState(error) !== undefined) return classify(error) !== 'at-fault'
  return isConnectionTrouble(error)
}

/** True when the database is not as this version expects. Waiting may resolve that; repeating does not. */
export function isHeld(error: unknown): boolean {
  return sqlState(error) !== undefined && classify(error) === 'held'
}

/**
 * True when a row has come or gone since the turn read: one like it exists already, one excludes it, or one that it
 * refers to is missing.
 */
export function isLate(error: unknown): boolean {
  return ['23505', '23P01', '23503'].includes(sqlState(error) ?? '')
}

function isConnectionTrouble(error: unknown): boolean {
  return chain(error).some(
    // Errors of the operating system name a system call; errors of the driver have no code.
    ({ syscall, message }) =>
      typeof syscall === 'string' ||
      /connection terminated|timeout exceeded when trying|connection error/i.test(`${message}`),
  )
}

/** The SQLSTATE of an error or of its cause. Codes of the operating system (EPIPE!) are not SQLSTATEs. */
function sqlState(error: unknown): string | undefined {
  for (const { code } of chain(error)) if (typeof code === 'string' && /^[0-9FHPX][0-9A-Z]{4}$/.test(code)) return code
  return undefined
}

type Link = { code?: unknown; syscall?: unknown; message?: unknown; cause?: unknown }

function chain(error: unknown): Link[] {
  const links: Link[] = []
  for (let at = error as Link | undefined; at && links.length < 8; at = at.cause as Link | undefined) links.push(at)
  return links
}

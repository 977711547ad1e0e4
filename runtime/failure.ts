/** What went wrong with the database, told from its errors: the message, the statements, the server, or nobody knows. */

import { HistoryChanged } from '../storage/mod.ts'

/**
 * What a failed commit means. All but `unknown` say that nothing of it happened.
 *  - `unknown`: no answer, or one that does not tell.
 *  - `fenced`, `retired`, `repeated`: the fence, the counter, the settling refused it.
 *  - `blocked`: others hold rows that it needs, or it was cancelled.
 *  - `unavailable`: the server takes no commits at the moment (read-only, no resources, not letting in).
 *  - `held`: the database is not as this version expects (a missing column or function, a permission, a pooler in between,
 *    an internal error). No message is to blame for it.
 *  - `at-fault`: the message's own: its data break a rule.
 */
export type Meaning = 'unknown' | 'fenced' | 'retired' | 'repeated' | 'blocked' | 'unavailable' | 'held' | 'at-fault'

const ENGINE: Record<string, Meaning> = { PL001: 'repeated', PL002: 'fenced', PL003: 'retired' }

export function classify(error: unknown): Meaning {
  const code = sqlState(error)
  // Nothing of it was sent: the server is not the one that it was decided on.
  if (error instanceof HistoryChanged) return 'retired'
  if (code === undefined) return 'unknown'
  const meaning = ENGINE[code]
  if (meaning) return meaning
  // 08 connection; 57P0x the server ends: it may have committed before it said so.
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

/** True when the database is not as this version expects it, which waiting, not repeating, may mend. */
export function isHeld(error: unknown): boolean {
  return sqlState(error) !== undefined && classify(error) === 'held'
}

/** True when a row has come or gone since the turn read: one like it exists already, or one that it refers to is missing. */
export function isLate(error: unknown): boolean {
  return ['23505', '23503'].includes(sqlState(error) ?? '')
}

function isConnectionTrouble(error: unknown): boolean {
  return chain(error).some(
    // The operating system's errors name a call; the driver's own have no code.
    ({ syscall, message }) =>
      typeof syscall === 'string' ||
      /connection terminated|timeout exceeded when trying|connection error/i.test(`${message}`),
  )
}

/** The SQLSTATE of an error or of what caused it. Codes of the operating system (EPIPE!) are not among them. */
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

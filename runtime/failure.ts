/** What went wrong with the database, told from its errors: the statements, the server, or nobody knows. */

export type Meaning = 'unknown' | 'fenced' | 'retired' | 'repeated' | 'at-fault'

/**
 * What a failed commit means. Whatever the server does not say about the statements themselves (no connection, no
 * resources, shutting down, read-only, not letting in) leaves the outcome unknown: the commit is repeated.
 */
export function classify(error: unknown): Meaning {
  const code = sqlState(error)
  if (code === 'PL001') return 'repeated'
  if (code === 'PL002') return 'fenced'
  if (code === 'PL003') return 'retired'
  if (code === undefined) return 'unknown'
  // 08 connection, 25 transaction state (a standby), 28 authorization, 3D no such database, 40 rollback (deadlock,
  // serialization), 53 resources, 55000 database not accepting connections, 55P03 lock timeout, 57 operator intervention, 58 system
  return /^(08|25|28|3D|40|53|57|58|55000|55P03)/.test(code) ? 'unknown' : 'at-fault'
}

/** True for trouble with the database itself; false for an error of an actor's own code or statement. */
export function isStorageTrouble(error: unknown): boolean {
  if (sqlState(error) !== undefined) return classify(error) === 'unknown'
  return chain(error).some(
    // The operating system's errors name a call; the driver's own have no code.
    ({ syscall, message }) =>
      typeof syscall === 'string' ||
      /connection terminated|timeout exceeded when trying|connection error/i.test(`${message}`),
  )
}

/** True when a row like it exists already. */
export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === '23505'
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

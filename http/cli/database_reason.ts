/** True when a PostgreSQL is there and lets nobody in: with this password, or to this database. */
export function isRefusal(error: unknown): boolean {
  return /^(28|3D)/.test(String((error as { code?: unknown }).code))
}

/** What a database driver has to say, without the statement it stumbled over. Also for connections refused twice. */
export function reasonOf(error: unknown): string {
  const { code, message, errors } = error as Error & { code?: string; errors?: Error[] }
  const text = message || errors?.[0]?.message || code || String(error)
  return (text.includes(' - ') ? text.slice(text.lastIndexOf(' - ') + 3) : text).replace(/\.$/, '')
}

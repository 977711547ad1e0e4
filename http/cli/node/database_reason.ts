/** The text of a database error without the failed statement. Also for connections that two servers refused. */
export function reasonOf(error: unknown): string {
  const { code, message, errors } = error as Error & { code?: string; errors?: Error[] }
  const text = message || errors?.[0]?.message || code || String(error)
  return (text.includes(' - ') ? text.slice(text.lastIndexOf(' - ') + 3) : text).replace(/\.$/, '')
}

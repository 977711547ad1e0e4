/** The words of a database driver, without the statement it stumbled over. Also for connections refused twice. */
export function reasonOf(error: unknown): string {
  const { code, message, errors } = error as Error & { code?: string; errors?: Error[] }
  const text = message || errors?.[0]?.message || code || String(error)
  return (text.includes(' - ') ? text.slice(text.lastIndexOf(' - ') + 3) : text).replace(/\.$/, '')
}

/** Returns the address of a database on the server that the address of another one names. */
export function databaseUrl(server_url: string, name: string): string {
  const url = new URL(server_url)
  url.pathname = `/${name}`
  return url.href
}

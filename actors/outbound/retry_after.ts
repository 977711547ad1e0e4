/**
 * Seconds that a `Retry-After` header asks to wait, or undefined when it is missing or unreadable: a number of seconds
 * or an HTTP date (RFC 9110, 10.2.3). A date in the past is 0. `now` in milliseconds since the epoch.
 */
export function retryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? ''
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text)
  // Checks the shape of an HTTP date, because Date.parse also accepts "5" and other texts.
  if (!/^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(text)) return undefined
  const at = Date.parse(/GMT|UTC|[+-]\d{4}$/.test(text) ? text : `${text} GMT`)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000))
}

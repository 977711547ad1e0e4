const EXCERPT_BYTES = 4_096

/**
 * The beginning of a response as text for storage and display: at most 4 KiB, no half character at the end, and no NUL,
 * which PostgreSQL cannot store. Null for compressed bodies, which are not unpacked.
 */
export function excerptOf(body: Buffer, encoding: string | string[] | undefined): string | null {
  if (encoding !== undefined && encoding !== 'identity') return null
  const is_cut = body.length > EXCERPT_BYTES
  const text = new TextDecoder().decode(body.subarray(0, EXCERPT_BYTES), { stream: is_cut })
  return text.replaceAll('\0', '\ufffd')
}

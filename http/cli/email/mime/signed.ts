/** The mail inside a signed S/MIME message (RFC 5652). The signature itself is not checked. */

/** 1.2.840.113549.1.7.2 and .1.7.1, with tag and length. */
const SIGNED = Buffer.from('06092a864886f70d010702', 'hex')
const DATA = Buffer.from('06092a864886f70d010701', 'hex')
const MAX_CHUNKS = 100_000

/** Undefined for anything else, such as an encrypted message. */
export function signedContent(bytes: Buffer): Buffer | undefined {
  // The object begins with its kind, and names the content before it: only the begin is searched.
  const start = bytes.subarray(0, 512)
  const kind = start.indexOf(SIGNED)
  const content = start.indexOf(DATA, kind + 1)
  if (kind < 0 || content < 0) return undefined
  // [0] around one octet string, or around the pieces of one.
  const chunks: Buffer[] = []
  for (let at = content + DATA.length; at + 2 <= bytes.length && chunks.length < MAX_CHUNKS; ) {
    const tag = bytes[at]!
    const { size, next } = lengthAt(bytes, at + 1)
    if (tag === 0x04) chunks.push(bytes.subarray(next, next + size))
    else if (tag !== 0xa0 && tag !== 0x24) break
    at = tag === 0x04 ? next + size : next
  }
  return chunks.length > 0 ? Buffer.concat(chunks) : undefined
}

function lengthAt(bytes: Buffer, at: number): { size: number; next: number } {
  const first = bytes[at]!
  if (first < 0x80) return { size: first, next: at + 1 }
  const count = first & 0x7f
  let size = 0
  for (let index = 0; index < Math.min(count, 4); index++) size = size * 256 + (bytes[at + 1 + index] ?? 0)
  return { size, next: at + 1 + count }
}

/** Decodes the bytes of a text whose encoding nobody has named. */

/** Bytes in which HTML names its encoding, by the HTML standard. */
const META_BYTES = 1024
const CHARSET = /^charset ?= ?["']?([a-z0-9_-]{1,40})/i

/**
 * UTF-16 with a byte order mark, else UTF-8, else the encoding that `named` gives, else Windows-1252, which any bytes
 * are.
 */
export function decodeText(bytes: Uint8Array, named?: (start: string) => string | undefined): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, META_BYTES)).toString('latin1')
    return decoderOf(named?.(start)).decode(bytes)
  }
}

/** The encoding that HTML names in a `meta` element. */
export function htmlCharset(start: string): string | undefined {
  const at = start.toLowerCase().indexOf('charset')
  return at < 0 ? undefined : CHARSET.exec(start.slice(at))?.[1]
}

function decoderOf(label: string | undefined) {
  try {
    return new TextDecoder(label ?? 'windows-1252')
  } catch {
    return new TextDecoder('windows-1252')
  }
}

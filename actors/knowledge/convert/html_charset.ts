/** The encoding that a page names for itself. */

/** Bytes in which it is looked for; browsers look in fewer. */
const MAX_BYTES = 65_536
const MAX_TAG_LENGTH = 1_000
const CHARSET = /\bcharset\s{0,9}=\s{0,9}["']?\s{0,9}([\w:.-]{1,40})/i
const XML_ENCODING = /^\s*<\?xml\b[^>]{0,200}?\bencoding\s{0,9}=\s{0,9}["']([\w:.-]{1,40})/i

/** The encoding of a `meta` element, else of the XML declaration. Comments, scripts and styles name none. */
export function htmlCharset(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_BYTES)).toString('latin1')
  const lower = start.toLowerCase()
  for (let at = lower.indexOf('<'); at >= 0; at = lower.indexOf('<', at)) {
    const skipped = skip(lower, at)
    if (skipped !== undefined) {
      at = skipped
      continue
    }
    if (/^<meta[\s/]/.test(lower.slice(at, at + 6))) {
      const end = lower.indexOf('>', at)
      const named = CHARSET.exec(start.slice(at, Math.min(end < 0 ? start.length : end, at + MAX_TAG_LENGTH)))?.[1]
      if (named) return named
    }
    at++
  }
  return XML_ENCODING.exec(start.slice(0, MAX_TAG_LENGTH))?.[1]
}

/** The end of what begins here and is no element of the page. */
function skip(lower: string, at: number): number | undefined {
  if (lower.startsWith('<!--', at)) return after(lower, '-->', at + 4)
  for (const name of ['script', 'style']) {
    if (lower.startsWith(`<${name}`, at)) return after(lower, `</${name}`, at)
  }
  return undefined
}

function after(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from)
  return at < 0 ? text.length : at + end.length
}

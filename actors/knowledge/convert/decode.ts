/** Decodes texts in Unicode. Other encodings need the confined process (`confined/legacy_text.ts`). */
import { encodingOfMark, wideWithoutMark } from '../../media/wide_text.ts'

export type Decoded = {
  text: string
  /** Characters that stand for bytes without a meaning. */
  unreadable: number
}

/** Stands for bytes without a meaning. */
const REPLACEMENT = '\ufffd'

/**
 * UTF-8 and UTF-16, with or without a byte order mark, UTF-32 with one, and ISO-2022-JP, which marks itself. Undefined for
 * all others. A few wrong bytes do not make another encoding of UTF-8.
 */
export function decodeUnicode(bytes: Uint8Array): Decoded | undefined {
  const marked = encodingOfMark(bytes)
  if (marked === 'utf-32le' || marked === 'utf-32be') return decodeWide(bytes, marked === 'utf-32le')
  const encoding = marked ?? wideWithoutMark(bytes) ?? (isSevenBitJapanese(bytes) ? 'iso-2022-jp' : undefined)
  if (encoding) return decodeAs(bytes, encoding)
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), unreadable: 0 }
  } catch {
    const text = new TextDecoder('utf-8').decode(bytes)
    const wrong = count(text, REPLACEMENT)
    return beyondAscii(text) - wrong >= wrong ? { text, unreadable: wrong } : undefined
  }
}

export function decodeAs(bytes: Uint8Array, encoding: string): Decoded {
  const text = new TextDecoder(encoding).decode(bytes)
  return { text, unreadable: count(text, REPLACEMENT) }
}

/** The escapes that begin Japanese characters in seven bits. */
function isSevenBitJapanese(bytes: Uint8Array): boolean {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (!['\x1b$B', '\x1b$@', '\x1b(J'].some((begin) => view.includes(begin, 0, 'latin1'))) return false
  return !view.some((byte) => byte >= 0x80)
}

function decodeWide(bytes: Uint8Array, is_little: boolean): Decoded {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const parts: string[] = []
  let unreadable = bytes.length % 4 === 0 ? 0 : 1
  for (let at = 4; at + 4 <= bytes.length; at += 4) {
    const point = view.getUint32(at, is_little)
    const is_valid = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
    if (!is_valid) unreadable++
    parts.push(is_valid ? String.fromCodePoint(point) : REPLACEMENT)
  }
  return { text: parts.join(''), unreadable }
}

function count(text: string, sign: string): number {
  let found = 0
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) found++
  return found
}

function beyondAscii(text: string): number {
  let found = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) found++
  return found
}

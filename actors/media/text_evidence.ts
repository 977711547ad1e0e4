/** Tells texts from other files by their bytes. */
import { isMarkedWide, wideWithoutMark } from './wide_text.ts'

/**
 * `text`: nothing in it is no text. `flawed`: a few bytes are none. `binary`: it is no text, though there may be some in it.
 */
export type TextEvidence = 'text' | 'flawed' | 'binary'

/** One wrong byte may be in so many. */
const BYTES_FOR_A_FLAW = 200
const MIN_BYTES = 16
/** The end mark of DOS, which is text at the end alone. */
const DOS_END = 0x1a

/** `bytes`: the file, or its start. */
export function textEvidence(bytes: Uint8Array): TextEvidence {
  if (bytes.length === 0) return 'binary'
  if (isMarkedWide(bytes) || wideWithoutMark(bytes)) return 'text'
  let flaws = 0
  let last = -2
  for (let at = 0; at < bytes.length; at++) {
    if (!isControl(bytes[at]!, at, bytes)) continue
    // Binary data comes in runs.
    if (at === last + 1) return 'binary'
    last = at
    flaws++
  }
  if (flaws === 0) return 'text'
  const most = Math.max(1, bytes.length / BYTES_FOR_A_FLAW)
  return bytes.length >= MIN_BYTES && flaws <= most ? 'flawed' : 'binary'
}

/** A character of control that texts do not have. They have white space, tabs of both kinds, escapes and rubouts. */
function isControl(byte: number, at: number, bytes: Uint8Array): boolean {
  if (byte === DOS_END) return bytes.subarray(at + 1, at + 512).some((next) => next !== DOS_END && next !== 0)
  return byte < 0x08 || (byte > 0x0d && byte < 0x1b) || (byte > 0x1b && byte < 0x20)
}

/** True for UTF-8; the last character may be cut. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/** Content-Transfer-Encoding, and bytes that are not in the encoding that the part names. */

const MAX_BLANKS = 76
/** Base64 of so many characters in a text part is a file with a wrong type, not a text with a wrong encoding. */
const MIN_FILE = 200

/** A text to read, a file that is called a text, or any other file. */
type Kind = 'text' | 'text file' | 'file'

/** `body`: one character for each byte. Text parts keep what follows the encoded bytes, such as the footer of a list. */
export function decodeTransfer(body: string, encoding: string, kind: Kind): Buffer {
  const name = encoding.toLowerCase().match(/[a-z0-9-]+/)?.[0] ?? ''
  if (name === 'base64') return kind === 'file' ? bytesOfBase64(body) : textOfBase64(body, kind)
  if (name === 'quoted-printable') return bytesOfQuoted(body)
  if (/^(?:x-)?uu(?:e|encode|code)?$/.test(name)) return uuencoded(body)[0]?.bytes ?? Buffer.from(body, 'latin1')
  return Buffer.from(body, 'latin1')
}

/** Programs join pieces that end with padding. */
function bytesOfBase64(text: string): Buffer {
  const whole = text.replaceAll(/[^A-Za-z0-9+/=]+/g, '')
  const pieces = whole.match(/[^=]+=*/g) ?? []
  return pieces.length === 1
    ? Buffer.from(pieces[0]!, 'base64')
    : Buffer.concat(pieces.map((one) => Buffer.from(one, 'base64')))
}

function textOfBase64(body: string, kind: Kind): Buffer {
  const plain = Buffer.from(body, 'latin1')
  const end = endOfBase64(body)
  if (end === 0) return plain
  const decoded = bytesOfBase64(body.slice(0, end))
  // A short word without spaces is a line of base64, too; its bytes are no text.
  if (isBinary(decoded))
    return body.trim().length >= MIN_FILE || (kind === 'text file' && isWhole(body)) ? decoded : plain
  const rest = body.slice(end)
  return rest.trim() === '' ? decoded : Buffer.concat([decoded, Buffer.from(`\n${rest}`, 'latin1')])
}

function isWhole(base64: string): boolean {
  return base64.replaceAll(/\s/g, '').length % 4 === 0
}

/** Behind the lines at the begin that have only base64. */
function endOfBase64(body: string): number {
  let at = 0
  let end = 0
  while (at < body.length) {
    const feed = body.indexOf('\n', at)
    const next = feed < 0 ? body.length : feed + 1
    const line = body.slice(at, next).trim()
    if (!/^[A-Za-z0-9+/]*={0,3}$/.test(line)) break
    // Behind the padding, a short line is the first of a footer, such as the word "Ana".
    if (line !== '') end = next
    at = next
  }
  return end
}

/** Too many control characters for a text. */
export function isBinary(bytes: Buffer): boolean {
  // UTF-16 has a zero in every second byte of Western text.
  const is_wide = bytes.length > 3 && (bytes[0] === 0) !== (bytes[1] === 0) && (bytes[2] === 0) === (bytes[0] === 0)
  if (is_wide || (bytes[0]! >= 0xfe && bytes[1]! >= 0xfe)) return false
  let controls = 0
  for (const byte of bytes) if (byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b, 0x0e, 0x0f].includes(byte)) controls += 1
  return controls * 50 > bytes.length
}

function bytesOfQuoted(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  let length = 0
  /** Bytes before it are meant; blanks behind it are padding when the line ends. */
  let meant = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === 0x3d) {
      const value = hexOf(bytes[at + 1]) * 16 + hexOf(bytes[at + 2])
      const end = value >= 0 ? 0 : softBreak(bytes, at + 1)
      if (value >= 0) bytes[length++] = value
      else if (end < 0) bytes[length++] = byte
      at = value >= 0 ? at + 2 : end < 0 ? at : end - 1
      meant = length
      continue
    }
    if (byte === 0x0a || byte === 0x0d) {
      while (length > meant && (bytes[length - 1] === 0x20 || bytes[length - 1] === 0x09)) length -= 1
    }
    bytes[length++] = byte
  }
  return bytes.subarray(0, length)
}

/** Behind the line end that follows at most a few blanks; negative when something else follows. */
function softBreak(bytes: Buffer, from: number): number {
  let at = from
  while (at < from + MAX_BLANKS && (bytes[at] === 0x20 || bytes[at] === 0x09)) at += 1
  if (at >= bytes.length) return bytes.length
  if (bytes[at] === 0x0d) at += 1
  return bytes[at] === 0x0a ? at + 1 : -1
}

/** Not a digit: a number that makes every sum with it negative. */
function hexOf(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1000
}

export type UuFile = { filename: string; bytes: Buffer; begin: number; end: number }

const MAX_FILES = 50

/** Files that old programs write into the text, with the places where they begin and end. */
export function uuencoded(text: string): UuFile[] {
  const files: UuFile[] = []
  let from = 0
  for (const { 0: start, index } of text.matchAll(/^begin [0-7]{3,4} /gm)) {
    if (index < from || files.length === MAX_FILES) continue
    const found = uuFileAt(text, index + start.length)
    if (!found) continue
    files.push({ ...found, begin: index })
    from = found.end
  }
  return files
}

/** `at`: the place of the filename. Undefined for a text that only looks like a file. */
function uuFileAt(text: string, at: number): Omit<UuFile, 'begin'> | undefined {
  const name = lineAt(text, at)
  const chunks: Buffer[] = []
  let { next } = name
  for (;;) {
    const { line, next: after } = lineAt(text, next)
    const size = (line.charCodeAt(0) - 32) & 63
    if (line === '' || line.length > MAX_UU_LINE_LENGTH || after === next) return undefined
    next = after
    if (line === 'end' && chunks.length > 0) break
    if (line === '`') continue
    if (size === 0 || Math.ceil(size / 3) * 4 + 1 < line.length - 4) return undefined
    chunks.push(uuLine(line).subarray(0, size))
  }
  return { filename: name.line.slice(0, 255).trim(), bytes: Buffer.concat(chunks), end: next }
}

const MAX_UU_LINE_LENGTH = 90

function lineAt(text: string, at: number): { line: string; next: number } {
  const feed = text.indexOf('\n', at)
  const end = feed < 0 ? text.length : feed
  return { line: text.slice(at, Math.min(end, at + 500)).trimEnd(), next: Math.min(end + 1, text.length) }
}

function uuLine(line: string): Buffer {
  const bytes: number[] = []
  for (let at = 1; at < line.length; at += 4) {
    const [a = 0, b = 0, c = 0, d = 0] = [0, 1, 2, 3].map((next) => ((line.charCodeAt(at + next) || 32) - 32) & 63)
    bytes.push((a << 2) | (b >> 4), ((b & 15) << 4) | (c >> 2), ((c & 3) << 6) | d)
  }
  return Buffer.from(bytes)
}

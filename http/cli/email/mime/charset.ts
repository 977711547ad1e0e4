/** Decodes text by evidence: many mails name no character set, an unknown one, or a wrong one. */
import iconv from 'iconv-lite'

const MARKS: [string, readonly number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
]
/** Names that say nothing: their bytes are looked at. */
const UNKNOWN =
  /^(?:(?:us-?)?ascii|ansi_x3|iso[-_]?646|unknown|x-unknown|default|none|binary|[78]bit|x-user|user-def|$)/
/** Programs write these without looking. Text that is valid UTF-8 beyond ASCII is never meant as one of them. */
const CARELESS = /^(?:iso-?8859-?1|latin-?1|windows-?1252|cp-?1252|iso-?8859-?15)$/
/** ISO-2022-JP has ASCII bytes alone, so it looks like UTF-8. */
const JAPANESE = '\x1b$'

/** `declared`: in the part itself. `hint`: in other parts of the mail, for bytes that are not UTF-8. */
export function decodeText(bytes: Buffer, declared = '', hint = ''): string {
  const marked = MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))
  if (marked) return decodeAs(bytes.subarray(marked[1].length), marked[0], false) ?? ''
  const charset = nameOf(declared)
  const utf8 = decodeAs(bytes, 'utf-8', true)
  if (UNKNOWN.test(charset)) {
    if (utf8 === undefined) return guessed(bytes, hint)
    return utf8.includes(JAPANESE) ? (decodeAs(bytes, 'iso-2022-jp', true) ?? utf8) : utf8
  }
  if (CARELESS.test(charset) && utf8 !== undefined) return utf8
  const decoded = decodeAs(bytes, charset, true)
  if (decoded !== undefined) return decoded
  if (utf8 !== undefined) return utf8
  return /^utf-?8$/.test(charset) ? mixed(bytes) : (decodeAs(bytes, charset, false) ?? guessed(bytes, hint))
}

/** The charset that HTML names itself. Undefined when it names none, or one that it cannot have. */
export function charsetInHtml(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 4_096)
  const tags = start.match(/<meta\b[^<>]*>/gi) ?? []
  const named = tags.map((tag) => /charset ?= ?["']?([\w.:-]{1,40})/i.exec(tag)?.[1]).find((name) => name)
  return named && /^utf-?(?:16|32)/i.test(named) ? undefined : named
}

function guessed(bytes: Buffer, hint: string): string {
  const charset = nameOf(hint)
  const is_useful = !UNKNOWN.test(charset) && !/^utf/.test(charset)
  return (is_useful ? decodeAs(bytes, charset, true) : undefined) ?? mixed(bytes)
}

/** `x`, `"x"`, `charset=x` and `x*language` are x. */
function nameOf(declared: string): string {
  const [name = ''] = declared
    .toLowerCase()
    .replace(/^.{0,9}=/, '')
    .split(/[*;,]/, 1)
  return name.replaceAll(/["'\s]/g, '')
}

/** Undefined when nobody knows the charset or, with `is_strict`, when the bytes are not in it. */
function decodeAs(bytes: Buffer, charset: string, is_strict: boolean): string | undefined {
  let decoder: InstanceType<typeof TextDecoder>
  try {
    decoder = new TextDecoder(charset, { fatal: is_strict, ignoreBOM: true })
  } catch {
    // The library knows UTF-7 and the code pages of DOS, which no browser does.
    return charset !== '' && iconv.encodingExists(charset) ? iconv.decode(bytes, charset) : undefined
  }
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** UTF-8 where it is valid, windows-1252 for the other bytes: lists append footers, and servers cut characters. */
function mixed(bytes: Buffer): string {
  const western = new TextDecoder('windows-1252')
  const pieces: string[] = []
  let begin = 0
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceAt(bytes, at)
    if (length > 0) {
      at += length
      continue
    }
    pieces.push(bytes.toString('utf8', begin, at), western.decode(bytes.subarray(at, at + 1)))
    at += 1
    begin = at
  }
  pieces.push(bytes.toString('utf8', begin))
  return pieces.join('')
}

/** Bytes of the UTF-8 character at this place; 0 when there is none. */
function sequenceAt(bytes: Buffer, at: number): number {
  const first = bytes[at]!
  if (first < 0x80) return 1
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  if (first < 0xc2 || first > 0xf4) return 0
  for (let next = 1; next < length; next++) {
    if ((bytes[at + next]! & 0xc0) !== 0x80 || at + next >= bytes.length) return 0
  }
  const second = bytes[at + 1]!
  const is_valid =
    !(first === 0xe0 && second < 0xa0) &&
    !(first === 0xed && second > 0x9f) &&
    !(first === 0xf0 && second < 0x90) &&
    !(first === 0xf4 && second > 0x8f)
  return is_valid ? length : 0
}

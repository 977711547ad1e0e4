/** winmail.dat, the form in which Outlook sends rich text (MS-OXTNEF): the text and the files inside. */

import type { Attachment } from './attachment.ts'
import { decodeText } from './charset.ts'
import { rtfText } from './rtf.ts'

export type Tnef = { text?: string; html?: string; attachments: Attachment[] }

const SIGNATURE = 0x223e9f78
const MAX_ATTACHMENTS = 100
const MAX_PROPERTIES = 2_000
const MAX_VALUES = 1_000
const MAX_RTF_LENGTH = 8 * 1024 * 1024

/** Attributes of the file. */
const BODY = 0x800c
const CODE_PAGE = 0x9007
const PROPERTIES = 0x9003
const ATTACH_BEGIN = 0x9002
const ATTACH_TITLE = 0x8010
const ATTACH_DATA = 0x800f
const ATTACH_PROPERTIES = 0x9005
/** Properties of a message. */
const PLAIN = 0x1000
const RTF = 0x1009
const HTML = 0x1013
const INTERNET_CODE_PAGE = 0x3fde
const FILE_DATA = 0x3701
const FILE_NAME = 0x3704
const LONG_FILE_NAME = 0x3707
const MIME_TAG = 0x370e

/** Undefined for bytes that are not TNEF. What is cut off or broken ends the reading. */
export function readTnef(bytes: Buffer): Tnef | undefined {
  if (bytes.length < 6 || bytes.readUInt32LE(0) !== SIGNATURE) return undefined
  const found: Tnef = { attachments: [] }
  let charset = 'windows-1252'
  for (const { id, value } of attributesOf(bytes)) {
    const open = found.attachments.at(-1)
    if (id === CODE_PAGE && value.length >= 4) charset = `windows-${value.readUInt32LE(0)}`
    else if (id === BODY) found.text = stringOf(value, charset)
    else if (id === PROPERTIES) Object.assign(found, bodyIn(propertiesOf(value), charset))
    else if (id === ATTACH_BEGIN && found.attachments.length < MAX_ATTACHMENTS) {
      found.attachments.push({ filename: null, mime_type: 'application/octet-stream', size: 0 })
    } else if (id === ATTACH_TITLE && open) open.filename ??= stringOf(value, charset) || null
    else if (id === ATTACH_DATA && open) Object.assign(open, { size: value.length, bytes: value })
    else if (id === ATTACH_PROPERTIES && open) Object.assign(open, fileIn(propertiesOf(value), charset, open))
  }
  return found
}

function* attributesOf(bytes: Buffer): Generator<{ id: number; value: Buffer }> {
  // Signature (4), key (2); then level (1), id (2), type (2), length (4), value, checksum (2).
  for (let at = 6; at + 9 <= bytes.length; ) {
    const id = bytes.readUInt16LE(at + 1)
    const length = bytes.readUInt32LE(at + 5)
    yield { id, value: bytes.subarray(at + 9, at + 9 + length) }
    at += 9 + length + 2
  }
}

type Property = { type: number; value: Buffer }

/** By their ids. */
function propertiesOf(bytes: Buffer): Map<number, Property> {
  const found = new Map<number, Property>()
  try {
    readProperties(bytes, found)
  } catch (error) {
    // The rest is cut off.
    if (!(error instanceof RangeError)) throw error
  }
  return found
}

function readProperties(bytes: Buffer, found: Map<number, Property>): void {
  const count = Math.min(bytes.readUInt32LE(0), MAX_PROPERTIES)
  let at = 4
  for (let index = 0; index < count; index++) {
    const type = bytes.readUInt16LE(at) & 0xfff
    const is_multiple = (bytes.readUInt16LE(at) & 0x1000) !== 0
    const id = bytes.readUInt16LE(at + 2)
    at += 4
    if (id >= 0x8000) {
      // A named property: GUID, then a number or a name.
      const is_name = bytes.readUInt32LE(at + 16) === 1
      at += is_name ? 24 + padded(bytes.readUInt32LE(at + 20)) : 24
    }
    const is_sized = [0x1e, 0x1f, 0x0d, 0x102].includes(type)
    const values = is_sized || is_multiple ? bytes.readUInt32LE(at) : 1
    if (is_sized || is_multiple) at += 4
    if (values > MAX_VALUES) return
    for (let each = 0; each < values; each++) {
      const size = is_sized ? bytes.readUInt32LE(at) : sizeOf(type)
      if (is_sized) at += 4
      if (size < 0) return
      if (!found.has(id)) found.set(id, { type, value: bytes.subarray(at, at + size) })
      at += padded(size)
    }
  }
}

/** Bytes of a value; negative for a type that is unknown. */
function sizeOf(type: number): number {
  if ([0x02, 0x03, 0x04, 0x0a, 0x0b].includes(type)) return 4
  if ([0x05, 0x06, 0x07, 0x14, 0x40].includes(type)) return 8
  return type === 0x48 ? 16 : -1
}

function padded(size: number): number {
  return size + ((4 - (size % 4)) % 4)
}

function bodyIn(properties: Map<number, Property>, charset: string): Pick<Tnef, 'text' | 'html'> {
  const plain = textIn(properties.get(PLAIN), charset)
  const html = properties.get(HTML)
  const rtf = properties.get(RTF)
  const page = properties.get(INTERNET_CODE_PAGE)?.value.readUInt32LE(0)
  const words = plain?.trim() ? plain : rtf && rtfText(unpackedRtf(rtf.value).toString('latin1'))
  return {
    ...(words?.trim() && { text: words }),
    ...(html && {
      html: html.type === 0x1f ? textIn(html, charset)! : decodeText(html.value, charsetOf(page) ?? charset),
    }),
  }
}

function charsetOf(page: number | undefined): string | undefined {
  if (page === undefined) return undefined
  if (page === 65_001) return 'utf-8'
  return page === 20_127
    ? 'us-ascii'
    : page >= 28_591 && page <= 28_606
      ? `iso-8859-${page - 28_590}`
      : `windows-${page}`
}

function fileIn(
  properties: Map<number, Property>,
  charset: string,
  { filename, size, mime_type, bytes }: Attachment,
): Attachment {
  const named =
    textIn(properties.get(LONG_FILE_NAME), charset) || filename || textIn(properties.get(FILE_NAME), charset)
  const data = size > 0 ? bytes : properties.get(FILE_DATA)?.value
  return {
    filename: named || null,
    size: data?.length ?? 0,
    ...(data && { bytes: data }),
    mime_type: textIn(properties.get(MIME_TAG), charset) || mime_type,
  }
}

function textIn(property: Property | undefined, charset: string): string | undefined {
  if (!property) return undefined
  return property.type === 0x1f
    ? property.value.toString('utf16le').split('\0', 1)[0]!
    : stringOf(property.value, charset)
}

function stringOf(value: Buffer, charset: string): string {
  const end = value.indexOf(0)
  return decodeText(end < 0 ? value : value.subarray(0, end), charset)
}

const DICTIONARY =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx'

/** Compressed RTF (MS-OXRTFCP). */
function unpackedRtf(bytes: Buffer): Buffer {
  if (bytes.length < 16) return Buffer.alloc(0)
  const size = Math.min(bytes.readUInt32LE(4), MAX_RTF_LENGTH)
  if (bytes.readUInt32LE(8) === 0x414c454d) return bytes.subarray(16, 16 + size)
  const window = Buffer.alloc(4_096, 0x20)
  window.write(DICTIONARY, 'latin1')
  const output = Buffer.alloc(size)
  let length = 0
  let write = DICTIONARY.length
  const put = (byte: number) => {
    output[length++] = byte
    window[write] = byte
    write = (write + 1) % 4_096
  }
  for (let at = 16; at < bytes.length && length < size; ) {
    const control = bytes[at++]!
    for (let bit = 0; bit < 8 && at < bytes.length && length < size; bit++) {
      if ((control & (1 << bit)) === 0) {
        put(bytes[at++]!)
        continue
      }
      const token = (bytes[at]! << 8) | (bytes[at + 1] ?? 0)
      at += 2
      const offset = token >> 4
      if (offset === write) return output.subarray(0, length)
      for (let each = 0; each < (token & 15) + 2 && length < size; each++) put(window[(offset + each) % 4_096]!)
    }
  }
  return output.subarray(0, length)
}

/** Detects the type of a file from its bytes. Names and announced types are the sender's claims and are ignored here. */

import { type FileHandle, open } from 'node:fs/promises'
import { compoundFileType } from './compound_file.ts'
import { isUtf8, textEvidence } from './text_evidence.ts'

export type Sniffed = {
  /** Without parameters; `text/plain` for any text, `application/octet-stream` for unknown types. */
  mime_type: string
  /** Codec of audio in an Ogg container. */
  codec: 'opus' | null
  /** A WebP of several pictures. */
  is_animated: boolean
}

/** The library's names, where WhatsApp and browsers use others. */
const ALIASES: Record<string, string> = {
  'audio/x-m4a': 'audio/mp4',
  'video/x-m4v': 'video/mp4',
  'audio/vnd.wave': 'audio/wav',
}

/** Bytes read to recognise text. */
const TEXT_SAMPLE = 65_536
/** Bytes before the header of a PDF that readers skip. */
const MAX_BEFORE_PDF = 1_024

/** Types of files that are texts, which their whole first line shows. Others that begin with a few letters are no texts. */
const TEXT_TYPES = new Set([
  'application/eps',
  'application/pgp-encrypted',
  'application/postscript',
  'application/rtf',
  'application/xml',
  'text/calendar',
  'text/vcard',
  'text/vtt',
])

/** Loaded by the first file. */
const library = () => import('file-type')

export async function sniffFile(path: string): Promise<Sniffed> {
  const { fileTypeFromFile } = await library()
  // A truncated file, or one with a misleading structure, may be anything.
  const found = await fileTypeFromFile(path).catch(() => undefined)
  const [type = '', parameters = ''] = found?.mime.split(/;\s*/) ?? []
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TEXT_SAMPLE), 0, TEXT_SAMPLE, 0)
    const mime_type = typeBy(buffer.subarray(0, bytesRead), type)
    const codec = mime_type === 'audio/ogg' && parameters === 'codecs=opus' ? ('opus' as const) : null
    const known = { mime_type, codec, is_animated: false }
    if (mime_type === 'image/webp') return { ...known, is_animated: await isAnimated(file) }
    if (mime_type === 'application/x-cfb') return { ...known, mime_type: (await compoundFileType(file)) ?? mime_type }
    return known
  } finally {
    await file.close()
  }
}

/** The type as far as the first bytes show it: `text/plain` for any text, `application/octet-stream` for unknown types. */
export async function sniffStart(bytes: Buffer): Promise<string> {
  const { fileTypeFromBuffer } = await library()
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined)
  return typeBy(bytes.subarray(0, TEXT_SAMPLE), found?.mime.split(';')[0] ?? '')
}

/**
 * `found`: the type whose mark the bytes begin with, if any. Two letters at the start are no evidence against a whole
 * text: a file of formulas begins like a sound, and a price list of cars like a picture.
 */
function typeBy(start: Buffer, found: string): string {
  if (isPdf(start)) return 'application/pdf'
  const evidence = textEvidence(start)
  const is_text = evidence === 'text' || (evidence === 'flawed' && (found === '' || isUtf8(start)))
  if (is_text) return TEXT_TYPES.has(found) ? found : 'text/plain'
  if (found === '' || found === 'application/pdf') return 'application/octet-stream'
  return ALIASES[found] ?? found
}

/** A line that is a PDF's header, or its mark and the start of an object. Texts about PDF have neither. */
function isPdf(start: Buffer): boolean {
  const text = start.toString('latin1')
  const at = text.indexOf('%PDF-')
  if (at < 0 || at >= MAX_BEFORE_PDF) return false
  const is_first =
    text
      .slice(0, at)
      .replace(/^\xef\xbb\xbf/, '')
      .trim() === ''
  if (is_first && /^%PDF-\d\.\d[\0\s%]{0,9}(?:[\r\n%\0]|$)/.test(text.slice(at, at + 32))) return true
  return /\d\s{1,9}\d{1,9}\s{1,9}obj\b/.test(text.slice(at))
}

/** The flag of the extended header (the container's specification, 2.7). */
async function isAnimated(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(21), 0, 21, 0)
  return bytesRead === 21 && buffer.toString('latin1', 12, 16) === 'VP8X' && (buffer[20]! & 0x02) !== 0
}

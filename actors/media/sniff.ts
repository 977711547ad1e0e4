/** Detects the type of a file from its bytes. Names and announced types are the sender's claims and are ignored here. */

import { type FileHandle, open } from 'node:fs/promises'
import { compoundFileType } from './compound_file.ts'

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

/** Loaded by the first file. */
const library = () => import('file-type')

export async function sniffFile(path: string): Promise<Sniffed> {
  const { fileTypeFromFile } = await library()
  // A truncated file, or one with a misleading structure, may be anything.
  const found = await fileTypeFromFile(path).catch(() => undefined)
  const [type = '', parameters = ''] = found?.mime.split(/;\s*/) ?? []
  const codec = parameters === 'codecs=opus' ? ('opus' as const) : null
  const known = { mime_type: ALIASES[type] ?? type, codec, is_animated: false }
  if (type !== '' && type !== 'application/x-cfb' && type !== 'image/webp') return known
  const file = await open(path, 'r')
  try {
    if (type === 'image/webp') return { ...known, is_animated: await isAnimated(file) }
    if (type === 'application/x-cfb') return { ...known, mime_type: (await compoundFileType(file)) ?? type }
    return { ...known, mime_type: (await isText(file)) ? 'text/plain' : 'application/octet-stream' }
  } finally {
    await file.close()
  }
}

/** The type as far as the first bytes show it: `text/plain` for any text, `application/octet-stream` for unknown types. */
export async function sniffStart(bytes: Buffer): Promise<string> {
  const { fileTypeFromBuffer } = await library()
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined)
  const [type] = found?.mime.split(';') ?? []
  if (type) return ALIASES[type] ?? type
  return isTextual(bytes) ? 'text/plain' : 'application/octet-stream'
}

async function isText(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(TEXT_SAMPLE), 0, TEXT_SAMPLE, 0)
  return isTextual(buffer.subarray(0, bytesRead))
}

/** Text has no control characters except white space and escape; any superset of ASCII is accepted. */
function isTextual(bytes: Buffer): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return bytes.length > 0 && !/[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/.test(bytes.toString('latin1'))
}

/** The flag of the extended header (the container's specification, 2.7). */
async function isAnimated(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(21), 0, 21, 0)
  return bytesRead === 21 && buffer.toString('latin1', 12, 16) === 'VP8X' && (buffer[20]! & 0x02) !== 0
}

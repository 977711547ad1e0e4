/** The photo of a user, as operators set it: a small picture in base64, whose type its bytes decide. */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import type { Photo } from '../../../storage/mod.ts'
import { isBase64 } from '../../server/schema/base64.ts'

const KIB = 1024
/** A square of 256 pixels has 20 KiB as JPEG. */
const MAX_BYTES = 128 * KIB
const MAX_CHARACTERS = Math.ceil(MAX_BYTES / 3) * 4

/** The first bytes of the formats that every browser shows and that contain no code, in hex. */
const FORMATS: [mime_type: string, start: RegExp][] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/webp', /^52494646.{8}57454250/],
]

/** Null removes the photo. */
export const photoField = v.nullable(
  v.pipe(
    v.string('must be a PNG, JPEG or WebP picture in base64, or null for none'),
    v.maxLength(MAX_CHARACTERS, `must be a picture of at most ${MAX_BYTES / KIB} KiB`),
    v.check(
      (text) => isShortBase64(text) && formatOf(Buffer.from(text, 'base64')) !== undefined,
      'must be a PNG, JPEG or WebP picture in base64',
    ),
    v.description('PNG, JPEG or WebP in base64, at most 128 KiB; visitors of the web chat see it'),
  ),
)

export function photoOf(text: string): Photo {
  const bytes = Buffer.from(text, 'base64')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { mime_type: formatOf(bytes)!, content: bytes.toString('base64'), sha256 }
}

/** In steps: the check of the characters alone would read the whole of a text that is too long. */
function isShortBase64(text: string): boolean {
  return text !== '' && text.length <= MAX_CHARACTERS && isBase64(text)
}

function formatOf(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 16).toString('hex')
  return FORMATS.find(([, known]) => known.test(start))?.[0]
}

/**
 * The form of an upload: one part `file` and a few texts, in any order. The file is written to a temporary one as it
 * arrives. All errors of the form are reported together, once it has ended.
 */

import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import busboy from 'busboy'
import { charsetOf, safeName, writeStream } from '../../actors/mod.ts'
import { BodyFailed } from '../server/body/incoming_body.ts'
import type { Violation } from '../server/errors/api_error.ts'
import { isCleanText } from '../server/parse/json.ts'
import { boundaryOf, PartHeaders } from './part_headers.ts'

export type SpooledFile = {
  path: string
  /** Bytes. */
  file_size: number
  /** Hex, lower case. */
  sha256: string
  filename: string | null
  /** The content type of the file's part, as given by the client. */
  part_type: string
  /** The encoding that the type of the file's part names; null without one. */
  charset: string | null
}

export type UploadForm = { fields: Record<string, string>; file: SpooledFile; discard(): Promise<void> }

export type FormOptions = {
  /** For temporary files. */
  directory: string
  /** Names of the allowed text fields, each at most once. */
  fields: readonly string[]
  /** Maximum bytes of the file. */
  file_limit: number
}

/** Maximum bytes of a text field. */
const FIELD_BYTES = 4096
const MAX_PARTS = 50

/**
 * Returns the texts together with any violations, so that they can be checked with them. Rejects with `BodyFailed` when
 * the body is incomplete or the file is too large, and then leaves no file.
 */
export async function readUploadForm(
  { body, content_type }: { body: Readable; content_type: string },
  { directory, fields: known, file_limit }: FormOptions,
): Promise<UploadForm | { violations: Violation[]; fields: Record<string, string> }> {
  const violations: Violation[] = []
  const note = (path: string, message: string, code: string) => violations.push({ path, message, code })
  const fields: Record<string, string> = {}
  const path = join(directory, randomBytes(12).toString('hex'))
  let file: Promise<SpooledFile> | undefined
  // A file that cannot be removed now is removed by the tidying.
  const discard = () => rm(path, { force: true }).catch(() => {})

  let form: busboy.Busboy
  try {
    const limits = { fieldSize: FIELD_BYTES, parts: MAX_PARTS, fieldNameSize: 100 }
    form = busboy({ headers: { 'content-type': content_type }, defParamCharset: 'utf8', limits })
  } catch {
    const message = 'must name the boundary of its parts'
    return { violations: [{ path: 'Content-Type', message, code: 'invalid_format' }], fields }
  }
  form.on('field', (name, value, { nameTruncated, valueTruncated }) => {
    if (name === 'file') note('file', 'must be a file: give its part a filename', 'invalid_type')
    else if (nameTruncated || !known.includes(name))
      note(printable(name), 'is not known here; remove it', 'unknown_property')
    else if (name in fields) note(name, 'must be given once', 'duplicate')
    else if (valueTruncated) note(name, `must have at most ${FIELD_BYTES} bytes`, 'too_long')
    else if (!isCleanText(value)) note(name, 'must not contain NUL', 'invalid_character')
    else fields[name] = value
  })
  const headers = new PartHeaders(boundaryOf(content_type) ?? '')
  form.on('file', (name, stream, { filename, mimeType }) => {
    // The end of the form reports the file's error.
    stream.on('error', () => {})
    if (name === 'file' && !file) {
      const charset = charsetOf(headers.takeTypeOfFile() ?? '')
      file = spool(stream, path, file_limit).then((facts) => ({
        path,
        ...facts,
        // Browsers write a quote as %22.
        filename: safeName(filename?.replaceAll('%22', '"')),
        part_type: mimeType,
        charset,
      }))
      file.catch((error) => body.destroy(error))
      return
    }
    if (name === 'file') note('file', 'must be given once; upload one file at a time', 'duplicate')
    else note(printable(name), 'is not known here; the file goes into the part "file"', 'unknown_property')
    stream.resume()
  })
  form.on('partsLimit', () => note('', `must have at most ${MAX_PARTS} parts`, 'too_long'))
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await pipeline(body, headers, form)
    const spooled = await file
    if (!spooled) note('file', 'is required', 'required')
    else if (spooled.file_size === 0) note('file', 'must not be empty', 'too_short')
    if (spooled && violations.length === 0) return { fields, file: spooled, discard }
  } catch (error) {
    await file?.catch(() => {})
    const cause = error instanceof BodyFailed ? error : body.errored instanceof BodyFailed ? body.errored : undefined
    await discard()
    if (cause) throw cause
    // A system error, such as a full disk, is not the client's fault.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error
    note('', `must be well-formed multipart/form-data: ${(error as Error).message}`, 'malformed_multipart')
    return { violations, fields }
  }
  await discard()
  return { violations, fields }
}

/** Writes the stream to a new file. Rejects with `BodyFailed` when it has more than `limit` bytes. */
export function spool(stream: Readable, path: string, limit: number) {
  return writeStream(stream, path, (file_size) => (file_size > limit ? new BodyFailed('PAYLOAD_TOO_LARGE') : null))
}

function printable(name: string): string {
  return name
    .toWellFormed()
    .replace(/\p{Cc}/gu, '?')
    .slice(0, 100)
}

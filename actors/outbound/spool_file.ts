/** Writes a stream to a temporary file. */
import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export type SpooledStream = {
  path: string
  /** Bytes. */
  file_size: number
  /** Hex, lower case. */
  sha256: string
  discard(): Promise<void>
}

/**
 * The caller discards the file; the hourly tidying of the directory removes those of a process that died. Rejects with the
 * error of the stream or of the disk, and then leaves nothing.
 *
 * @param prefix of the file's name
 */
export async function spoolStream(stream: Readable, directory: string, prefix: string): Promise<SpooledStream> {
  const path = join(directory, `${prefix}-${randomBytes(12).toString('hex')}`)
  // A file that cannot be removed now is removed by the tidying.
  const discard = () => rm(path, { force: true }).catch(() => {})
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    return { path, ...(await writeStream(stream, path)), discard }
  } catch (error) {
    stream.destroy()
    await discard()
    throw error
  }
}

/**
 * Writes the stream to a new file. Rejects with the error of the stream or of the disk, or with that of `refuse`, which gets
 * the bytes so far.
 */
export async function writeStream(
  stream: Readable,
  path: string,
  refuse: (file_size: number) => Error | null = () => null,
): Promise<Pick<SpooledStream, 'file_size' | 'sha256'>> {
  const hash = createHash('sha256')
  let file_size = 0
  const measured = new Transform({
    transform(chunk: Buffer, _, done) {
      file_size += chunk.length
      hash.update(chunk)
      done(refuse(file_size), chunk)
    },
  })
  await pipeline(stream, measured, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  return { file_size, sha256: hash.digest('hex') }
}

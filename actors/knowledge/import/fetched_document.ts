/** A document behind an address, as a temporary file. */
import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Dispatcher } from 'undici'
import { fetchFile } from '../../outbound/mod.ts'
import { MAX_DOCUMENT } from './failure.ts'

export type FetchedDocument = {
  path: string
  file_size: number
  sha256: string
  /** Encoding that the server named; null without one. */
  charset: string | null
  discard(): Promise<void>
}

/** Milliseconds for the whole document. */
const DEADLINE_MS = 60_000

/**
 * Fetches through the dispatcher of the outbound guard, at most the size of a document. The caller discards the file;
 * the hourly tidying of the directory removes those of a process that died.
 *
 * @throws {FetchFailed} and the errors of the disk
 */
export async function fetchDocument(
  url: string,
  { dispatcher, directory, signal }: { dispatcher: Dispatcher; directory: string; signal: AbortSignal },
): Promise<FetchedDocument> {
  const options = { dispatcher, limit: MAX_DOCUMENT, deadline_ms: DEADLINE_MS, signal }
  const { stream, charset } = await fetchFile(url, options)
  const path = join(directory, `import-${randomBytes(12).toString('hex')}`)
  const discard = () => rm(path, { force: true })
  const hash = createHash('sha256')
  let file_size = 0
  const measured = new Transform({
    transform(chunk: Buffer, _, done) {
      file_size += chunk.length
      hash.update(chunk)
      done(null, chunk)
    },
  })
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await pipeline(stream, measured, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  } catch (error) {
    await discard()
    throw error
  }
  return { path, file_size, sha256: hash.digest('hex'), charset, discard }
}

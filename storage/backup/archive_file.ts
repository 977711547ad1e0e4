/** Archives as files: written whole or not at all, encrypted with a passphrase if there is one. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PassThrough, Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BackupError } from './backup_error.ts'
import { encrypted } from './encryption.ts'

const BUFFER = 1024 * 1024

export type WrittenFile = { bytes: number; sha256: string }

type Target = {
  /** A path, or a stream. A path must not exist. */
  to: string | Writable
  passphrase: string | undefined
}

/**
 * Writes what `make` gives to its sink.
 *
 * @throws {BackupError} when the file is there already, or cannot be written
 */
export async function writeBackupFile<Result>(
  { to, passphrase }: Target,
  make: (sink: (bytes: Buffer) => Promise<void>) => Promise<Result>,
): Promise<{ result: Result; file: WrittenFile }> {
  if (typeof to !== 'string') return flow(to, passphrase, make)
  const partial = `${to}.partial`
  try {
    await mustNotExist(to)
    const file = createWriteStream(partial, { mode: 0o600, flush: true })
    const written = await flow(file, passphrase, make)
    await rename(partial, to)
    await syncDirectory(dirname(to))
    return written
  } catch (error) {
    await rm(partial, { force: true })
    throw explained(error)
  }
}

async function flow<Result>(
  to: Writable,
  passphrase: string | undefined,
  make: (sink: (bytes: Buffer) => Promise<void>) => Promise<Result>,
): Promise<{ result: Result; file: WrittenFile }> {
  const through = new PassThrough({ highWaterMark: BUFFER })
  const hash = createHash('sha256')
  let bytes = 0
  async function* metered(source: AsyncIterable<Buffer>) {
    for await (const piece of source) {
      hash.update(piece)
      bytes += piece.length
      yield piece
    }
  }
  const source = passphrase === undefined ? through : Readable.from(encrypted(through, passphrase))
  // Standard output stays open.
  const flowing = pipeline(source, metered, to, { end: to !== process.stdout })
  flowing.catch(() => {})
  try {
    const result = await make(async (piece) => {
      if (!through.write(piece)) await Promise.race([once(through, 'drain'), flowing])
    })
    through.end()
    await flowing
    return { result, file: { bytes, sha256: hash.digest('hex') } }
  } catch (error) {
    through.destroy(error as Error)
    await flowing.catch(() => {})
    throw error
  }
}

/** `read` is told how many bytes have been read. The function opens the file from its beginning. */
export function readBackupFile(path: string, read: (bytes: number) => void = () => {}): () => AsyncIterable<Buffer> {
  return async function* () {
    let bytes = 0
    try {
      for await (const piece of createReadStream(path, { highWaterMark: BUFFER }) as AsyncIterable<Buffer>) {
        bytes += piece.length
        read(bytes)
        yield piece
      }
    } catch (error) {
      throw explained(error)
    }
  }
}

async function mustNotExist(path: string): Promise<void> {
  const file = await open(path, 'r').catch(() => undefined)
  if (!file) return
  await file.close()
  throw new BackupError(`${path} is there already: choose another name, or remove it.`)
}

/** Turns an error of the file system into a sentence. */
function explained(error: unknown): unknown {
  const { code, path, syscall } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC') return new BackupError('The disk is full.')
  if (path === undefined || syscall === undefined) return error
  const reason = code === 'ENOENT' ? 'there is no such file or directory' : `${syscall}: ${code}`
  return new BackupError(`${path} cannot be used (${reason}).`)
}

/** A name is only as durable as its directory. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

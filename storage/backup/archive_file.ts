/** Archives as files: written whole or not at all, encrypted with a passphrase if there is one. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PassThrough, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BackupError } from './backup_error.ts'
import { encrypted } from './encryption.ts'

const BUFFER = 1024 * 1024

export type WrittenFile = { bytes: number; sha256: string }

type Target = {
  /** A path, or a stream. A path must not exist. */
  to: string | Writable
  passphrase: string | undefined
  /** Stops the writing, also while the target takes nothing. */
  signal?: AbortSignal | undefined
}

/** Writes bytes of the archive, and resolves when more may come. */
type Sink = (bytes: Buffer) => Promise<void>

/**
 * Writes what `make` gives to its sink. Another file is never replaced, not even one that appears meanwhile.
 *
 * @throws {BackupError} when the file is there already, or cannot be written
 */
export async function writeBackupFile<Result>(
  { to, passphrase, signal }: Target,
  make: (sink: Sink) => Promise<Result>,
): Promise<{ result: Result; file: WrittenFile }> {
  if (typeof to !== 'string') {
    return flow({ to, passphrase, signal }, make).catch((error) => {
      throw explained(error, 'Standard output')
    })
  }
  const partial = `${to}.${randomBytes(6).toString('hex')}.partial`
  try {
    await mustNotExist(to)
    const file = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true })
    const written = await flow({ to: file, passphrase, signal }, make)
    await giveName(partial, to)
    await syncDirectory(dirname(to))
    return written
  } catch (error) {
    throw explained(error, to, partial)
  } finally {
    await rm(partial, { force: true })
  }
}

/** Without replacing a file: a rename would. */
async function giveName(partial: string, to: string): Promise<void> {
  try {
    await link(partial, to)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw isThere(to)
    if (!WITHOUT_LINKS.has(code)) throw error
    const taken = await open(to, 'wx', 0o600).catch((error) => {
      throw error.code === 'EEXIST' ? isThere(to) : error
    })
    await taken.close()
    await rename(partial, to)
  }
}

/** Errors of file systems that do not have hard links. There, an empty file takes the name first. */
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

async function flow<Result>(
  { to, passphrase, signal }: { to: Writable; passphrase: string | undefined; signal: AbortSignal | undefined },
  make: (sink: Sink) => Promise<Result>,
): Promise<{ result: Result; file: WrittenFile }> {
  const through = new PassThrough({ highWaterMark: BUFFER })
  // A failure may come before anything reads from it. The pipeline reports it.
  through.on('error', () => {})
  const hash = createHash('sha256')
  let bytes = 0
  async function* metered(source: AsyncIterable<Buffer>) {
    for await (const piece of source) {
      hash.update(piece)
      bytes += piece.length
      yield piece
    }
  }
  const source = passphrase === undefined ? through : encrypted(through, passphrase)
  // Standard output stays open.
  const options = { end: to !== process.stdout, ...(signal && { signal }) }
  const ended = new AbortController()
  const flowing = pipeline(source, metered, to, options).finally(() => ended.abort())
  flowing.catch(() => {})
  try {
    const result = await make(async (piece) => {
      if (through.write(piece)) return
      await once(through, 'drain', { signal: ended.signal }).catch(() => flowing)
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
      throw explained(error, path)
    }
  }
}

async function mustNotExist(path: string): Promise<void> {
  const file = await open(path, 'r').catch(() => undefined)
  if (!file) return
  await file.close()
  throw isThere(path)
}

function isThere(path: string): BackupError {
  return new BackupError(`${path} is there already: choose another name, or remove it.`)
}

/** Turns an error of the file system into a sentence. `file` is what the caller named, `partial` its name until it is complete. */
function explained(error: unknown, file: string, partial = file): unknown {
  const { code = '', path, syscall } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC') return new BackupError(FULL)
  if (code === 'EPIPE') return new BackupError(`${file} was closed before the archive was complete.`)
  // An error of reading a directory does not name it.
  const where = path === partial || code === 'EISDIR' ? file : path
  if (where === undefined || syscall === undefined) return error
  return new BackupError(`${where} cannot be used (${REASONS[code] ?? `${syscall}: ${code}`}).`)
}

const FULL = 'The disk is full: the one of the archive, or that of temporary files (TMPDIR).'

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file or directory',
  EISDIR: 'it is a directory',
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

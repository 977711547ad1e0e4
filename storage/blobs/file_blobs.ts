/** Blobs as files below a directory. Nodes on several machines need a shared one. */
import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { type FileHandle, link, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type BlobStore, type ByteRange, checkKey, type StoredBlob } from './blob_store.ts'
import { Meter } from './meter.ts'
import { checkWritable } from './writable.ts'

/** Directory of unfinished files, relative to the root. */
const INCOMING = 'incoming'
/** File with the id of the store, relative to the root. */
const IDENTITY = 'store-id'
/** A file without writes for this long is abandoned: its process is dead. */
const LEFT_MS = 3_600_000

export class FileBlobs implements BlobStore {
  readonly #root: string
  #ready: Promise<void> | undefined

  constructor(root: string) {
    this.#root = root
  }

  async put(key: string, stream: Readable): Promise<StoredBlob> {
    const path = this.#path(key)
    // The stream may have broken off before a listener was attached.
    if (stream.errored) throw stream.errored
    try {
      await this.#prepareOnce()
    } catch (error) {
      stream.destroy()
      throw error
    }
    const temporary = join(this.#root, INCOMING, randomBytes(12).toString('hex'))
    try {
      const meter = new Meter()
      // `flush`: the file is on the disk before it gets its name.
      await pipeline(stream, meter, createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true }))
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await rename(temporary, path)
      await syncDirectory(dirname(path))
      return meter.result()
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }

  async get(key: string, range?: ByteRange) {
    const file = await this.#open(key)
    if (!file) return undefined
    try {
      const { size } = await file.stat()
      return { stream: file.createReadStream({ ...range, highWaterMark: 256 * 1024 }), size }
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async remove(key: string): Promise<void> {
    await rm(this.#path(key), { force: true })
  }

  async identity(): Promise<string> {
    const path = join(this.#root, IDENTITY)
    const known = await readIfThere(path)
    return `file:${known ?? (await this.#makeIdentity(path))}`
  }

  /** The first of several concurrent writers wins, and its id is stored whole or not at all. */
  async #makeIdentity(path: string): Promise<string> {
    await makeDirectory(this.#root)
    const made = `${path}.${randomBytes(6).toString('hex')}`
    try {
      await writeFile(made, `${randomBytes(8).toString('hex')}\n`, { mode: 0o600, flush: true })
      await link(made, path)
      await syncDirectory(this.#root)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      await rm(made, { force: true })
    }
    return (await readFile(path, 'utf8')).trim()
  }

  async check(): Promise<void> {
    await checkWritable(join(this.#root, INCOMING))
  }

  async close(): Promise<void> {}

  async #open(key: string): Promise<FileHandle | undefined> {
    try {
      return await open(this.#path(key), 'r')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  /** Two levels of 256 directories, by hash: keys that begin with their time would all end up in one. */
  #path(key: string): string {
    checkKey(key)
    const hash = createHash('sha256').update(key).digest('hex')
    return join(this.#root, hash.slice(0, 2), hash.slice(2, 4), key)
  }

  /** A disk that is full at first may have room later. */
  async #prepareOnce(): Promise<void> {
    this.#ready ??= this.#prepare()
    try {
      await this.#ready
    } catch (error) {
      this.#ready = undefined
      throw error
    }
  }

  async #prepare(): Promise<void> {
    const directory = join(this.#root, INCOMING)
    await makeDirectory(directory)
    await removeLeft(directory, LEFT_MS)
  }
}

/** Node.js 22 tries for ever to make directories where none can be made, such as below `/proc`: hence the check. */
async function makeDirectory(path: string): Promise<void> {
  await checkWritable(path)
  await mkdir(path, { recursive: true, mode: 0o700 })
}

/** Removes the files of a directory without writes for this long. */
export async function removeLeft(directory: string, for_ms: number): Promise<void> {
  const names = await readdir(directory).catch(() => [])
  if (names.length === 0) return
  // A file system dates files by a clock of its own: that of this machine, or of a file server.
  const probe = join(directory, randomBytes(12).toString('hex'))
  await writeFile(probe, '', { mode: 0o600 })
  const now = await changedAt(probe)
  for (const path of [probe, ...names.map((name) => join(directory, name))]) {
    const is_left = path === probe || now - (await changedAt(path)) > for_ms
    if (is_left) await rm(path, { force: true })
  }
}

/** Time of the last change in milliseconds; infinite for a file that is gone. */
async function changedAt(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.mtimeMs ?? Number.POSITIVE_INFINITY
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
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

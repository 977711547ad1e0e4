import { addAbortSignal, Readable } from 'node:stream'
import type { BlobStore } from '../blobs/blob_store.ts'
import { BackupError } from './backup_error.ts'
import { KeyList } from './key_list.ts'

/**
 * The files that a restore stores. It never replaces a file that is there, and a failure removes exactly those that it has
 * stored.
 */
export class RestoredBlobs {
  readonly #blobs: BlobStore
  readonly #may_share: boolean
  readonly #signal: AbortSignal | undefined
  readonly #stored: KeyList
  /** Files that were there already. */
  known = 0

  private constructor(blobs: BlobStore, may_share: boolean, signal: AbortSignal | undefined, stored: KeyList) {
    this.#blobs = blobs
    this.#may_share = may_share
    this.#signal = signal
    this.#stored = stored
  }

  static async open(blobs: BlobStore, may_share: boolean, signal: AbortSignal | undefined): Promise<RestoredBlobs> {
    return new RestoredBlobs(blobs, may_share, signal, await KeyList.open())
  }

  /**
   * Stores a file. A key is never given to another file, so one that is there is the same one.
   *
   * @throws {BackupError} when it is there, and the store may not be shared
   */
  async put(key: string, size: number, bytes: AsyncGenerator<Buffer>): Promise<void> {
    const there = await sizeOf(this.#blobs, key)
    if (there !== undefined) {
      if (!this.#may_share) throw new BackupError(sharedStore(`it has the file ${key}`))
      if (there !== size) throw new BackupError(`The store of files has another file with the key ${key}.`)
      this.known++
      return
    }
    // Before the file: a list that cannot be written would leave a file behind.
    await this.#stored.append(`${key}\n`)
    const source = Readable.from(bytes, { objectMode: false })
    await this.#blobs.put(key, this.#signal ? addAbortSignal(this.#signal, source) : source)
  }

  /** Removes what was stored. Returns the number of files that could not be removed. */
  async undo(): Promise<number> {
    let left = 0
    for await (const key of this.#stored.keys()) await this.#blobs.remove(key).catch(() => left++)
    return left
  }

  close(): Promise<void> {
    return this.#stored.remove()
  }
}

/** The size of a file; undefined when there is none. */
export async function sizeOf(blobs: BlobStore, key: string): Promise<number | undefined> {
  const there = await blobs.get(key)
  there?.stream.destroy()
  return there?.size
}

/** `how`: the reason to believe that the store is the one of the archive. */
export function sharedStore(how: string): string {
  return `PARLEY_BLOB_URL leads to the store of files that the archive was made from (${how}). Two installations with one store remove each other's files: give a new one. If the former installation is gone and this one replaces it, or an earlier restore was killed, give --shared-files.`
}

/**
 * The port for files that no provider stores for us. Two implementations, one suite of tests
 * (`test/storage/blobs.test.ts`); `PARLEY_BLOB_URL` chooses the one to use.
 *
 * 1. A blob is stored whole or not at all: a `put` that fails or is cut off leaves nothing under its key.
 * 2. A blob whose `put` has resolved survives the death of the process and of the machine.
 * 3. Bytes are streamed; no call holds a whole blob in memory.
 */
import type { Readable } from 'node:stream'

/** Both ends are inclusive and lie within the blob. */
export type ByteRange = { start: number; end: number }

/** `sha256` in lower-case hex. */
export type StoredBlob = { size: number; sha256: string }

export interface BlobStore {
  /** Stores the stream under the key and replaces an existing blob. Rejects with the stream's error when it breaks off. */
  put(key: string, stream: Readable): Promise<StoredBlob>
  /** `size` is that of the whole blob. Undefined when there is none. The caller reads the stream or destroys it. */
  get(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | undefined>
  /** Does nothing when there is none. */
  remove(key: string): Promise<void>
  /** The id of this store, the same for every process that opens it, and different for every other store. Created at first use. */
  identity(): Promise<string>
  /** Rejects when nothing can be stored at the moment. Leaves nothing behind. */
  check(): Promise<void>
  close(): Promise<void>
}

/** Keys become names of files: letters, digits, `_`, `-`. */
export function isKey(key: string): boolean {
  return /^[A-Za-z0-9_-]{1,200}$/.test(key)
}

/** Throws a TypeError. */
export function checkKey(key: string): void {
  if (!isKey(key)) throw new TypeError(`not a key of a blob: ${JSON.stringify(key)}`)
}

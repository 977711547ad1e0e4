/**
 * The port to where files are kept that no provider keeps for us. Two implementations, one suite of tests
 * (`test/storage/blobs.test.ts`); which one a start uses says `PARLEY_BLOB_URL`.
 *
 * 1. A blob is there as a whole or not at all: a `put` that fails or is cut leaves nothing under its key.
 * 2. What `put` has resolved for survives the death of the process and of the machine.
 * 3. Bytes go past in pieces; no call holds a whole blob in memory.
 */
import type { Readable } from 'node:stream'

/** Both ends belong to it; within the blob. */
export type ByteRange = { start: number; end: number }

/** `sha256` in lower-case hex. */
export type StoredBlob = { size: number; sha256: string }

export interface BlobStore {
  /** Stores what the stream brings, in place of what is there. Rejects with the stream's error when it breaks off. */
  put(key: string, stream: Readable): Promise<StoredBlob>
  /** `size` is that of the whole blob. Undefined when there is none. The caller reads the stream or destroys it. */
  get(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | undefined>
  /** Nothing happens when there is none. */
  remove(key: string): Promise<void>
  /** The same for all who open this store, wherever they are, and for no other. Makes one at first. */
  identity(): Promise<string>
  close(): Promise<void>
}

/** Keys become names of files: letters, digits, `_`, `-`. Throws a TypeError. */
export function checkKey(key: string): void {
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(key)) throw new TypeError(`not a key of a blob: ${JSON.stringify(key)}`)
}

import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'
import type { StoredBlob } from './blob_store.ts'

/** Counts and hashes the bytes that pass through. */
export class Meter extends Transform {
  #size = 0
  readonly #hash = createHash('sha256')

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    this.#size += chunk.length
    this.#hash.update(chunk)
    done(null, chunk)
  }

  /** Call once, when all bytes have passed. */
  result(): StoredBlob {
    return { size: this.#size, sha256: this.#hash.digest('hex') }
  }
}

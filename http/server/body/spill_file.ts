/**
 * Bytes of a body that arrive although its client was told to wait. uWebSockets.js reads a connection on for as long as
 * the kernel fills its buffer of 512 KiB, and notices a pause only then: a client that sends as fast as this thread
 * reads would fill the memory with its whole body. The bytes wait in a file without a name, in their order.
 *
 * Writing is synchronous, because the library gives the thread back only after the last byte.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, ftruncateSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Bytes that are read at once. */
const PIECE = 256 * 1024

export class SpillFile {
  readonly #directory: string
  #file: number | undefined
  #read = 0
  #written = 0

  /** The directory is made when it is needed. */
  constructor(directory: string) {
    this.#directory = directory
  }

  get is_empty(): boolean {
    return this.#read === this.#written
  }

  /** Throws the errors of the file system, such as that of a full disk. */
  write(bytes: Uint8Array): void {
    this.#file ??= this.#open()
    for (let from = 0; from < bytes.length; ) {
      const count = writeSync(this.#file, bytes, from, bytes.length - from, this.#written)
      from += count
      this.#written += count
    }
  }

  /** Takes the next bytes; requires that there are some. Throws the errors of the file system. */
  read(): Buffer {
    const piece = Buffer.allocUnsafeSlow(Math.min(PIECE, this.#written - this.#read))
    const count = readSync(this.#file!, piece, 0, piece.length, this.#read)
    if (count === 0) throw new Error('a file of an upload was cut short')
    this.#read += count
    if (this.is_empty) {
      ftruncateSync(this.#file!)
      this.#read = this.#written = 0
    }
    return piece.subarray(0, count)
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
    this.#read = this.#written = 0
  }

  #open(): number {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
    const path = join(this.#directory, randomBytes(12).toString('hex'))
    const file = openSync(path, 'wx+', 0o600)
    rmSync(path)
    return file
  }
}

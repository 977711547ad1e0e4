/** A local file without a name: its bytes are gone when its process ends, however it ends. */
import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

export class Spool {
  readonly #file: FileHandle

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /** The directory is made where it is missing. A process that dies at the wrong moment leaves an empty file in it. */
  static async open(directory: string): Promise<Spool> {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const path = join(directory, randomBytes(12).toString('hex'))
    const file = await open(path, 'wx+', 0o600)
    await rm(path)
    return new Spool(file)
  }

  /** Writes from the beginning. */
  writer(): Writable {
    return this.#file.createWriteStream({ start: 0, autoClose: false })
  }

  /** Bytes. */
  async size(): Promise<number> {
    return (await this.#file.stat()).size
  }

  /** Reads from the beginning. */
  reader(): Readable {
    return this.#file.createReadStream({ start: 0, autoClose: false })
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

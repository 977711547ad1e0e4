/** A local file without a name: its bytes are gone when its process ends, however it ends. */
import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes read at once. */
const PIECE = 256 * 1024

export class Spool {
  readonly #file: FileHandle
  /** Bytes. */
  size = 0

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

  /** Appends the texts. @throws the reason of the signal */
  async write(texts: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
    for await (const text of texts) {
      signal.throwIfAborted()
      const bytes = Buffer.from(text)
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.size)
        done += bytesWritten
        this.size += bytesWritten
      }
    }
  }

  /** All bytes, from the beginning. */
  async *read(): AsyncGenerator<Buffer> {
    for (let at = 0; at < this.size; ) {
      const { bytesRead, buffer } = await this.#file.read(Buffer.allocUnsafe(PIECE), 0, PIECE, at)
      if (bytesRead === 0) throw new Error('a spooled file is shorter than what was written')
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

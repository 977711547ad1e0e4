import { createHash } from 'node:crypto'
import { damaged } from './backup_error.ts'

/** Reads exact numbers of bytes from a stream, and hashes them. Every method throws `BackupError` when the stream ends early. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>
  readonly #hash = createHash('sha256')
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** SHA-256 of all bytes that were taken, in hex. */
  digest(): string {
    return this.#hash.copy().digest('hex')
  }

  async hasMore(): Promise<boolean> {
    return this.#rest.length > 0 || (await this.#more())
  }

  async take(size: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const part of this.pieces(size)) parts.push(part)
    return Buffer.concat(parts)
  }

  /** At most this many bytes: fewer where the stream ends before. */
  async begin(most: number): Promise<Buffer> {
    const bytes: Buffer[] = []
    for (let left = most; left > 0 && (await this.hasMore()); left--) bytes.push(await this.take(1))
    return Buffer.concat(bytes)
  }

  /** The next bytes as they come. */
  async *pieces(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (!(await this.hasMore())) throw damaged('it ends too early')
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      this.#hash.update(piece)
      left -= piece.length
      yield piece
    }
  }

  /** The next line without its line feed. */
  async line(longest: number): Promise<string> {
    const bytes: number[] = []
    for (;;) {
      const [byte] = await this.take(1)
      if (byte === 10) return Buffer.from(bytes).toString('utf8')
      if (bytes.push(byte!) > longest) throw damaged('a line is too long')
    }
  }

  /** Ends the stream before its end. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }

  async #more(): Promise<boolean> {
    for (;;) {
      const { value, done } = await this.#source.next()
      if (done) return false
      this.#rest = value
      if (value.length > 0) return true
    }
  }
}

import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { BackupError } from './backup_error.ts'
import { CHECKSUM, MANIFEST, type Manifest } from './format.ts'
import { TAR_END, tarHeader, tarPadding } from './tar.ts'

/** Takes bytes, and resolves when more may come. */
type Sink = (bytes: Buffer) => Promise<void>

/** Writes the parts of an archive, one after the other, whoever adds them. */
export class ArchiveWriter {
  readonly #sink: Sink
  readonly #hash = createHash('sha256')
  #last: Promise<unknown> = Promise.resolve()

  constructor(sink: Sink) {
    this.#sink = sink
  }

  part(name: string, bytes: Buffer): Promise<void> {
    return this.#inTurn(() => this.#part(name, bytes))
  }

  /** @throws {BackupError} when the stream does not have this size */
  stream(name: string, size: number, source: Readable): Promise<void> {
    return this.#inTurn(async () => {
      await this.#write(tarHeader(name, size))
      const hash = createHash('sha256')
      let bytes = 0
      for await (const piece of source as AsyncIterable<Buffer>) {
        bytes += piece.length
        if (bytes > size) break
        hash.update(piece)
        await this.#write(piece)
      }
      if (bytes !== size) throw new BackupError(`${name} does not have the ${size} bytes that its store reports.`)
      await this.#write(tarPadding(size))
      await this.#checksum(name, hash.digest('hex'))
    })
  }

  /** Writes the last part and the end. */
  finish(manifest: Omit<Manifest, 'sha256'>): Promise<Manifest> {
    return this.#inTurn(async () => {
      const whole = { ...manifest, sha256: this.#hash.copy().digest('hex') }
      await this.#part(MANIFEST, json(whole))
      await this.#write(TAR_END)
      return whole
    })
  }

  async #part(name: string, bytes: Buffer): Promise<void> {
    await this.#entry(name, bytes)
    await this.#checksum(name, createHash('sha256').update(bytes).digest('hex'))
  }

  #checksum(name: string, sha256: string): Promise<void> {
    return this.#entry(`${name}${CHECKSUM}`, Buffer.from(`${sha256}  ${basename(name)}\n`))
  }

  async #entry(name: string, bytes: Buffer): Promise<void> {
    await this.#write(tarHeader(name, bytes.length))
    await this.#write(bytes)
    await this.#write(tarPadding(bytes.length))
  }

  async #write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return
    this.#hash.update(bytes)
    await this.#sink(bytes)
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work)
    this.#last = done
    // A failure is reported by the call that caused it; later calls fail with it too.
    done.catch(() => {})
    return done
  }
}

export function json(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}

/** The bytes in the field `base64` of a JSON object that is too large to be held whole. */
import { Transform } from 'node:stream'
import { FetchFailed } from '../../outbound/mod.ts'

/** The beginning of the field's value. The quotes of a name in a text would be escaped. */
const FIELD = /"base64"\s*:\s*"/
/** Characters before the field that are kept, for a name that is split between two chunks. */
const KEPT = 64

/** Decodes the field while it passes. Fails with `FetchFailed` when there is none, it is cut off, or has more bytes. */
export class Base64Field extends Transform {
  readonly #max_bytes: number
  /** The text before the value, or its characters that do not make up three bytes yet. */
  #rest = ''
  #state: 'before' | 'inside' | 'after' = 'before'
  #size = 0

  constructor(max_bytes: number) {
    super()
    this.#max_bytes = max_bytes
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null, data?: Buffer) => void) {
    if (this.#state === 'after') return done()
    let text = this.#rest + chunk.toString('latin1')
    if (this.#state === 'before') {
      const found = FIELD.exec(text)
      if (!found) {
        this.#rest = text.slice(-KEPT)
        return done()
      }
      this.#state = 'inside'
      text = text.slice(found.index + found[0].length)
    }
    const end = text.indexOf('"')
    if (end >= 0) {
      this.#state = 'after'
      text = text.slice(0, end)
    }
    // Some versions put the type before the bytes; a slash may be escaped.
    const plain = text.replace(/^data:[^,"]{0,200},/, '').replaceAll('\\', '')
    const whole = end >= 0 ? plain.length : plain.length - (plain.length % 4)
    this.#rest = plain.slice(whole)
    const bytes = Buffer.from(plain.slice(0, whole), 'base64')
    this.#size += bytes.length
    if (this.#size > this.#max_bytes) return done(new FetchFailed('too_large'))
    done(null, bytes)
  }

  override _flush(done: (error?: Error | null) => void) {
    done(this.#state === 'after' ? null : new FetchFailed('invalid_response'))
  }
}

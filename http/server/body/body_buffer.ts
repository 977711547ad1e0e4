const NOTHING = new Uint8Array()

/** Collects bytes that come in pieces in one buffer. Otherwise a body that comes byte by byte would be an object for each. */
export class BodyBuffer {
  /** The only piece, as in most bodies; kept as it is, because small buffers share their memory with others. */
  #first: Uint8Array = NOTHING
  #buffer: Buffer | undefined
  #length = 0

  /** Copies the piece. */
  add(piece: ArrayBuffer): void {
    const bytes = new Uint8Array(piece)
    if (this.#length === 0) {
      this.#first = Buffer.from(bytes)
      this.#length = bytes.length
      return
    }
    const length = this.#length + bytes.length
    if (this.#buffer === undefined || length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#length))
      larger.set(this.bytes)
      this.#buffer = larger
    }
    this.#buffer.set(bytes, this.#length)
    this.#length = length
  }

  /** A view: it may or may not show later pieces. */
  get bytes(): Uint8Array {
    return this.#buffer === undefined ? this.#first : this.#buffer.subarray(0, this.#length)
  }
}

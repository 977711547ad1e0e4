const NOTHING = new Uint8Array()

/** Bytes that come in pieces, kept in one buffer: a body that comes byte by byte would otherwise be an object for each. */
export class Gathered {
  /** The only piece, as most bodies have it: small ones share their memory with others. */
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

  /** A view: later pieces may or may not show in it. */
  get bytes(): Uint8Array {
    return this.#buffer === undefined ? this.#first : this.#buffer.subarray(0, this.#length)
  }
}

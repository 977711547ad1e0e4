/** Bytes that come in pieces, kept in one buffer: a body that comes byte by byte would otherwise be an object for each. */
export class Gathered {
  #buffer = Buffer.alloc(0)
  #length = 0

  /** Copies the piece. */
  add(piece: ArrayBuffer): void {
    const length = this.#length + piece.byteLength
    if (length > this.#buffer.length) {
      // Most bodies come in one piece.
      const larger = Buffer.allocUnsafeSlow(this.#length === 0 ? length : Math.max(length, 2 * this.#buffer.length))
      this.#buffer.copy(larger, 0, 0, this.#length)
      this.#buffer = larger
    }
    this.#buffer.set(new Uint8Array(piece), this.#length)
    this.#length = length
  }

  /** A view: later pieces may or may not show in it. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length)
  }
}

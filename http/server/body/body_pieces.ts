/** Small pieces that are free; each further piece needs a minimum of bytes on average, because it costs the parser and us 1.5 µs. */
const FREE = 2048
const MIN_BYTES = 32
/** Small pieces of one body that are taken even in a turn of the event loop with too many of them. */
const FEW = 16

/** The pieces of all bodies in this turn of the event loop: many connections with some crumbs each cost as much as one with many. */
const turn = { pieces: 0, bytes: 0 }

function beginTurn(): void {
  turn.pieces = 0
  turn.bytes = 0
}

const areCrumbs = (pieces: number, bytes: number) => pieces > FREE && bytes < (pieces - FREE) * MIN_BYTES

/** Counts the pieces in which a body arrives. */
export class BodyPieces {
  #pieces = 0
  #bytes = 0

  /** Returns false when the body comes in so many small pieces that processing them costs more than their content. */
  take(bytes: number): boolean {
    if (turn.pieces === 0) setImmediate(beginTurn)
    turn.pieces++
    turn.bytes += bytes
    this.#pieces++
    this.#bytes += bytes
    if (areCrumbs(this.#pieces, this.#bytes)) return false
    const is_small = this.#pieces > FEW && this.#bytes < this.#pieces * MIN_BYTES
    return !is_small || !areCrumbs(turn.pieces, turn.bytes)
  }
}

import type { BodyReader } from './body.ts'
import type { Gate } from './gate.ts'

/**
 * What one request holds of the server: a place behind a gate and the memory of its body. It is given back when the
 * request is over (answered, or its client left) and no work for it goes on any more.
 */
export class Hold {
  readonly #bodies: BodyReader
  #gate: Gate | undefined
  #bytes = 0
  #working = 0
  #release_also: (() => unknown) | undefined
  #over = false
  /** False when it could not be done now: the gate does not count it as served. */
  served = true

  constructor(bodies: BodyReader) {
    this.#bodies = bodies
  }

  /** False when the gate lets nobody in. */
  enter(gate: Gate): boolean {
    if (!gate.enter()) return false
    this.#gate = gate
    return true
  }

  /** The bytes of a body that the reader handed over. */
  keep(bytes: number): void {
    this.#bytes = bytes
  }

  /** Something else to be given back with the rest. */
  release(also: () => unknown): void {
    this.#release_also = also
    this.#release()
  }

  /** Work begins that goes on even when the client leaves. */
  begin(): void {
    this.#working++
  }

  end(): void {
    this.#working--
    this.#release()
  }

  over(): void {
    this.#over = true
    this.#release()
  }

  #release(): void {
    if (!this.#over || this.#working > 0) return
    this.#gate?.leave(this.served)
    this.#gate = undefined
    this.#bodies.release(this.#bytes)
    this.#bytes = 0
    this.#release_also?.()
    this.#release_also = undefined
  }
}

/** How much one connection may send, and in which form, before anything is parsed. */
import type { AddressLimits } from './address_limits.ts'
import { readKind } from './socket_packet.ts'
import { TokenBucket } from './token_bucket.ts'

/** A packet counts as one, and one more for each of these. */
const UNIT_BYTES = 2048
/** Units at once: all that a page may ask at once, ten longest texts among it. Then ten in a second. */
const UNITS = { most: 160, every_ms: 100 }

export class SocketGuard {
  readonly address: string
  readonly #limits: AddressLimits
  readonly #units = new TokenBucket(UNITS.most, UNITS.every_ms)
  #is_in = false

  constructor(address: string, limits: AddressLimits) {
    this.address = address
    this.#limits = limits
  }

  /** Undefined when the packet may be parsed, else the close code of a websocket (RFC 6455, and its registry). */
  refusal(packet: ArrayBuffer, is_binary: boolean): 1003 | 1008 | 1013 | undefined {
    if (is_binary) return 1003
    const units = 1 + packet.byteLength / UNIT_BYTES
    if (!this.#units.take(units)) return 1008
    if (this.#limits.take(this.address, 'frame', units)) return 1013
    const kind = readKind(new Uint8Array(packet), this.#is_in)
    if (kind === undefined) return 1008
    if (kind === 'connect') this.#is_in = true
    return undefined
  }

  /**
   * False when the connection sends pings and pongs of the websocket faster than any browser does. The parser answers those
   * by itself, and goes on as long as more are there: one connection would keep all others out.
   */
  takeSign(): boolean {
    return this.#units.take()
  }
}

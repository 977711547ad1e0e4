/** Limits the amount and form of one connection's packets, before anything is parsed. */
import type { AddressLimits } from '../limits/address_limits.ts'
import { readKind } from './socket_packet.ts'
import { TokenBucket } from './token_bucket.ts'

/** A packet counts one unit, and one more for each of these many bytes. */
const UNIT_BYTES = 2048
/**
 * Burst and refill in units: the burst covers everything that a page may ask at once, with ten texts of maximum length.
 * Then ten a second.
 */
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

  /** Returns undefined when the packet may be parsed, else a close code for the websocket (RFC 6455, and its registry). */
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
   * Returns false when the connection sends websocket pings and pongs faster than any browser does. The parser answers
   * those by itself, and goes on as long as more are there: one connection would block all others.
   */
  takeSign(): boolean {
    return this.#units.take()
  }
}

/**
 * Reads request bodies into memory, within a size limit, a minimum pace and a share of the memory for bodies.
 *
 *  M1 One bound holds for the bytes of all bodies being read or belonging to requests under way.
 *  M2 Each token has a share of it, and so has each address.
 *  M3 Senders without a known token have a small share of a small part, which is reserved for them.
 *  M4 When all of it is held, the largest holder loses a slow body to a smaller holder: else a few addresses that send
 *  as slowly as they may would keep all others out for minutes.
 *
 * A body may take `timeout_ms` plus a second for each 16 KiB of it that arrived (the pace below which uWebSockets.js
 * would cut the connection without an answer). One sweep a second serves all bodies under way, so a request costs no
 * timer.
 */

import type * as uWS from 'uWebSockets.js'
import { Shares } from '../limits/fair_shares.ts'
import { BodyBuffer } from './body_buffer.ts'
import { BodyPieces } from './body_pieces.ts'

const FLOOR_BYTES_PER_MS = 16.384
const MIB = 1024 * 1024
/** Maximum bytes held across in-flight bodies. Parsing takes several times that. */
const MAX_BYTES = 64 * MIB
const MAX_OF_A_TOKEN = 24 * MIB
const MAX_OF_AN_ADDRESS = 32 * MIB
const MAX_OF_STRANGERS = 24 * MIB
/** Maximum bytes of one address without a token. The largest body of a provider's webhook has 4 MiB. */
const MAX_OF_A_STRANGER = 6 * MIB

/** Milliseconds after which a body counts as slow and may have to make room. */
const LONG_MS = 2000

export type BodyProblem = 'PAYLOAD_TOO_LARGE' | 'REQUEST_TIMEOUT' | 'SHARE_USED_UP'
type Done = (body: Uint8Array | undefined, problem: BodyProblem | undefined) => void

/** The sender of a body; a stranger when there is no token. */
export type BodyOwner = { address: string | undefined; token?: string | undefined }

export class BodyReader {
  readonly timeout_ms: number
  readonly #readings = new Set<Body>()
  readonly #known = new Shares({ all: MAX_BYTES, kinds: { token: MAX_OF_A_TOKEN, address: MAX_OF_AN_ADDRESS } })
  readonly #strangers = new Shares({ all: MAX_OF_STRANGERS, kinds: { address: MAX_OF_A_STRANGER } })
  readonly #shares: BodyShares = {
    of: (of) => this.#sharesOf(of),
    makeRoom: (shares, newcomer) => this.#makeRoom(shares, newcomer),
  }
  #sweeper: NodeJS.Timeout | undefined

  constructor(timeout_ms: number) {
    this.timeout_ms = timeout_ms
  }

  /** Begins to read; call before the handler of uWebSockets.js returns. */
  begin(response: uWS.HttpResponse, limit: number, started: number, owner: BodyOwner): Body {
    const body = new Body(response, limit, started, owner, this.#shares)
    body.over = () => this.#readings.delete(body)
    this.#readings.add(body)
    this.#sweeper ??= setInterval(() => this.#sweep(), Math.min(1000, this.timeout_ms / 2)).unref()
    return body
  }

  #sharesOf({ token }: BodyOwner): Shares {
    return token === undefined ? this.#strangers : this.#known
  }

  #makeRoom(shares: Shares, newcomer: BodyOwner): void {
    const held = (owner: BodyOwner) => shares.heldBy(owner.token === undefined ? 'address' : 'token', owner)
    const since = performance.now() - LONG_MS
    let most = held(newcomer)
    let chosen: Body | undefined
    // In the order in which they began.
    for (const body of this.#readings) {
      if (body.started > since) continue
      if (this.#sharesOf(body.owner) !== shares || body.counted === 0 || held(body.owner) <= most) continue
      most = held(body.owner)
      chosen = body
    }
    chosen?.fail('SHARE_USED_UP')
  }

  #sweep(): void {
    const now = performance.now()
    for (const body of this.#readings) {
      if (now - body.started > this.timeout_ms + body.received / FLOOR_BYTES_PER_MS) body.fail('REQUEST_TIMEOUT')
    }
  }

  close(): void {
    clearInterval(this.#sweeper)
  }
}

/** The shares of memory that bodies count in. `makeRoom` may end another body. */
type BodyShares = {
  of: (owner: BodyOwner) => Shares
  makeRoom: (shares: Shares, newcomer: BodyOwner) => void
}

/** One request body. Its bytes count until `release`. */
export class Body {
  readonly started: number
  readonly #response: uWS.HttpResponse
  readonly #limit: number
  readonly #shares: BodyShares
  owner: BodyOwner
  #gathered = new BodyBuffer()
  /** Bytes that count for the owner at present. */
  counted = 0
  #done: Done | undefined
  #problem: BodyProblem | undefined
  #is_whole = false
  #is_ready = false
  #is_wanted = true
  /** True until the answer, while the client is connected. */
  #is_open = true
  #is_paused = false
  received = 0
  readonly #pieces = new BodyPieces()
  /** Called when reading has ended. */
  over: () => void = () => {}

  constructor(response: uWS.HttpResponse, limit: number, started: number, owner: BodyOwner, shares: BodyShares) {
    this.started = started
    this.#response = response
    this.#limit = limit
    this.owner = owner
    this.#shares = shares
    response.onData((chunk, is_last) => this.#take(chunk, is_last))
  }

  /** Stops reading until the body is asked for; bytes that are already here are kept. */
  pause(): void {
    if (this.#is_whole || this.#is_paused) return
    this.#is_paused = true
    this.#response.pause()
  }

  /** Counts the body for this owner from now on. */
  own(owner: BodyOwner): void {
    const { counted } = this
    this.release()
    this.owner = owner
    if (!this.#count(counted)) this.fail('SHARE_USED_UP')
  }

  /**
   * Calls `done` once with the whole body, at once when it is here, unless the client goes away first.
   *
   * The body counts as here once the parser is done with its packet. When another request follows in that packet, the
   * parser cuts the connection, and this request would be executed without an answer.
   */
  whole(done: Done) {
    if (this.#problem !== undefined) return done(undefined, this.#problem)
    if (this.#is_ready) return done(this.#gathered.bytes, undefined)
    this.#done = done
    if (!this.#is_whole) this.#resume()
  }

  /** Call before the answer is written, after which the response must not be touched. The rest of the body is read and dropped. */
  drop(): void {
    this.#is_open = false
    this.#letThrough()
  }

  /** Reads and drops the rest, so that a client that keeps sending still gets its answer. */
  #letThrough(): void {
    if (!this.#is_wanted) return
    this.#is_wanted = false
    this.#gathered = new BodyBuffer()
    this.over()
    this.#resume()
  }

  /** The client went away: the response must not be touched any more. */
  abandon(): void {
    this.#is_paused = false
    this.drop()
  }

  /** The request has ended: its bytes no longer count. */
  release(): void {
    this.#shares.of(this.owner).give(this.owner, this.counted)
    this.counted = 0
  }

  /** Returns false when the amount exceeds the owner's share. */
  #count(amount: number): boolean {
    const shares = this.#shares.of(this.owner)
    if (shares.isCrowded(amount)) this.#shares.makeRoom(shares, this.owner)
    if (!shares.take(this.owner, amount)) return false
    this.counted += amount
    return true
  }

  fail(problem: BodyProblem): void {
    if (this.#problem !== undefined || !this.#is_wanted) return
    this.#problem = problem
    this.#letThrough()
    this.release()
    this.#done?.(undefined, problem)
  }

  #take(chunk: ArrayBuffer, is_last: boolean) {
    if (!this.#is_open) return
    const { byteLength } = chunk
    this.received += byteLength
    // Only a closed socket stops the parser from going through all tiny chunks that are here.
    if (!this.#pieces.take(byteLength)) return void this.#response.close()
    if (!this.#is_wanted) return
    if (this.received > this.#limit) return this.fail('PAYLOAD_TOO_LARGE')
    if (byteLength > 0 && !this.#count(byteLength)) return this.fail('SHARE_USED_UP')
    // uWS reclaims the chunk's memory when this returns.
    if (byteLength > 0) this.#gathered.add(chunk)
    if (!is_last) return
    // The next request on the connection waits for the answer.
    this.pause()
    this.#is_whole = true
    this.over()
    setImmediate(() => this.#deliver())
  }

  #deliver(): void {
    if (!this.#is_wanted) return
    this.#is_ready = true
    this.#done?.(this.#gathered.bytes, undefined)
  }

  #resume(): void {
    if (!this.#is_paused) return
    this.#is_paused = false
    this.#response.resume()
  }
}

/**
 * The body of a request as a stream with backpressure: unread bytes stay with the client, except for those in flight (a
 * few MiB on a fast network).
 *
 * Created before the handler of the request returns, it holds the body back until it is read. However it ends, call
 * `release` before the answer is written: the rest of the body is then read and dropped, so that a client that sends
 * first and reads then gets its answer.
 */

import type * as uWS from 'uWebSockets.js'
import { Readable } from 'node:stream'
import type { BodyProblem } from './body.ts'
import { BodyPieces } from './body_pieces.ts'

/** Reports why the body is incomplete. */
export class BodyFailed extends Error {
  readonly problem: BodyProblem | 'CLIENT_LEFT'

  constructor(problem: BodyFailed['problem']) {
    super(`the body ended early: ${problem}`)
    this.name = 'BodyFailed'
    this.problem = problem
  }
}

type Limits = {
  /** Maximum bytes of the whole body. */
  limit: number
  /** Maximum milliseconds without a byte while we wait for one. */
  silence_ms: number
}

export class IncomingBody extends Readable {
  readonly #response: uWS.HttpResponse
  readonly #limits: Limits
  #received = 0
  readonly #pieces = new BodyPieces()
  #paused = true
  #released = false
  /** True once the last byte came. */
  #whole = false
  #silence: NodeJS.Timeout | undefined

  constructor(response: uWS.HttpResponse, limits: Limits) {
    super({ highWaterMark: 1024 * 1024 })
    this.#response = response
    this.#limits = limits
    response.onData((chunk, is_last) => this.#take(chunk, is_last))
    response.pause()
    // The reader gets the error; without a reader the request is answered in other ways.
    this.on('error', () => {})
  }

  override _read(): void {
    if (!this.#paused || this.#released || this.#whole) return
    this.#paused = false
    this.#response.resume()
    this.#silence ??= setTimeout(() => this.#fail('REQUEST_TIMEOUT'), this.#limits.silence_ms)
    this.#silence.refresh()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#silence)
    done(error)
  }

  /** The client went away: the response must not be touched any more. */
  abandon(): void {
    this.#released = true
    this.#fail('CLIENT_LEFT')
  }

  /** Drops the rest of the body. Call while the response is still open. */
  release(): void {
    if (this.#released) return
    this.#released = true
    this.destroy()
    if (this.#paused) this.#response.resume()
  }

  #take(chunk: ArrayBuffer, is_last: boolean) {
    if (this.#released) return
    this.#received += chunk.byteLength
    if (!this.#pieces.take(chunk.byteLength)) return void this.#response.close()
    if (this.destroyed) return
    this.#silence?.refresh()
    if (this.#received > this.#limits.limit) {
      this.#fail('PAYLOAD_TOO_LARGE')
      return
    }
    // uWS reclaims the chunk's memory when this returns.
    const wants_more = chunk.byteLength === 0 || this.push(Buffer.from(new Uint8Array(chunk)))
    if (is_last) {
      clearTimeout(this.#silence)
      this.#holdConnection()
      // As in `BodyReader.read`: not before the parser is done with the packet.
      setImmediate(() => this.destroyed || this.push(null))
    } else if (!wants_more && !this.#paused) {
      this.#paused = true
      // The silence limit applies only while a reader waits for the client.
      clearTimeout(this.#silence)
      this.#silence = undefined
      this.#response.pause()
    }
  }

  /** Holds the next request on the connection back until the answer; `release` lets it in. */
  #holdConnection(): void {
    this.#whole = true
    if (this.#paused) return
    this.#paused = true
    this.#response.pause()
  }

  #fail(problem: BodyFailed['problem']): void {
    this.destroy(new BodyFailed(problem))
  }
}

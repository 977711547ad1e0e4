/**
 * The body of a request as a stream that the socket waits for: what is not read yet stays with the client, but for what
 * was under way (a few MiB on a fast network).
 *
 * Made before the handler of the request returns, it holds the body back until somebody reads. However it ends, `release`
 * must be called before the answer is written: the rest of the body is then let through and thrown away, so that a client
 * that sends first and reads then gets its answer.
 */

import type * as uWS from 'uWebSockets.js'
import { Readable } from 'node:stream'
import { type BodyProblem, isInCrumbs } from './body.ts'

/** Why the body did not come to its end. */
export class BodyFailed extends Error {
  readonly problem: BodyProblem | 'CLIENT_LEFT'

  constructor(problem: BodyFailed['problem']) {
    super(`the body ended early: ${problem}`)
    this.name = 'BodyFailed'
    this.problem = problem
  }
}

type Limits = {
  /** Bytes of the whole body. */
  limit: number
  /** Milliseconds without a byte while we wait for one. */
  silence_ms: number
}

export class IncomingBody extends Readable {
  readonly #response: uWS.HttpResponse
  readonly #limits: Limits
  #received = 0
  #pieces = 0
  #paused = true
  #released = false
  /** Its last byte came. */
  #whole = false
  #silence: NodeJS.Timeout | undefined

  constructor(response: uWS.HttpResponse, limits: Limits) {
    super({ highWaterMark: 1024 * 1024 })
    this.#response = response
    this.#limits = limits
    response.onData((chunk, is_last) => this.#take(chunk, is_last))
    response.pause()
    // Whoever reads hears of it; when nobody does, the request has its answer by other ways.
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

  /** Lets the rest of the body through. To be called while the response is still open. */
  release(): void {
    if (this.#released) return
    this.#released = true
    this.destroy()
    if (this.#paused) this.#response.resume()
  }

  #take(chunk: ArrayBuffer, is_last: boolean) {
    if (this.#released) return
    this.#received += chunk.byteLength
    if (isInCrumbs(++this.#pieces, this.#received)) return void this.#response.close()
    if (this.destroyed) return
    this.#silence?.refresh()
    if (this.#received > this.#limits.limit) {
      this.#fail('PAYLOAD_TOO_LARGE')
      return
    }
    // uWS takes the chunk's memory back when this returns.
    const wants_more = chunk.byteLength === 0 || this.push(Buffer.from(new Uint8Array(chunk)))
    if (is_last) {
      clearTimeout(this.#silence)
      this.#holdConnection()
      // As in `BodyReader.read`: not before the parser is done with what came along.
      setImmediate(() => this.destroyed || this.push(null))
    } else if (!wants_more && !this.#paused) {
      this.#paused = true
      // Whoever does not read now is not waiting for the client.
      clearTimeout(this.#silence)
      this.#silence = undefined
      this.#response.pause()
    }
  }

  /** Keeps the next request on the connection out until the answer: `release` lets it in. */
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

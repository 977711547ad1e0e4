/**
 * The body of a request as a stream with backpressure: unread bytes stay with the client, except for those in flight. A
 * few MiB of them are held in memory, the rest in a file.
 *
 * Created before the handler of the request returns, it holds the body back until it is read. However it ends, call
 * `release` before the answer is written: the rest of the body is then read and dropped, so that a client that sends
 * first and reads then gets its answer.
 */

import type * as uWS from 'uWebSockets.js'
import { Readable } from 'node:stream'
import type { BodyProblem } from './body.ts'
import { BodyPieces } from './body_pieces.ts'
import { SpillFile } from './spill_file.ts'

/** Bytes in flight that are held in memory: about as many as the kernel of Linux holds for a connection. */
const MAX_HELD = 6 * 1024 * 1024

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
  /** The directory for bytes that memory must not hold. */
  directory: string
}

export class IncomingBody extends Readable {
  readonly #response: uWS.HttpResponse
  readonly #limits: Limits
  #received = 0
  readonly #pieces = new BodyPieces()
  readonly #spilled: SpillFile
  #paused = true
  #released = false
  /** True once the last byte came. */
  #whole = false
  #silence: NodeJS.Timeout | undefined

  constructor(response: uWS.HttpResponse, limits: Limits) {
    super({ highWaterMark: 1024 * 1024 })
    this.#response = response
    this.#limits = limits
    this.#spilled = new SpillFile(limits.directory)
    response.onData((chunk, is_last) => this.#take(chunk, is_last))
    response.pause()
    // The reader gets the error; without a reader the request is answered in other ways.
    this.on('error', () => {})
  }

  override _read(): void {
    if (!this.#spilled.is_empty) this.#readSpilled()
    else this.#letArrive()
  }

  #letArrive(): void {
    if (!this.#paused || this.#released || this.#whole) return
    this.#paused = false
    this.#response.resume()
    this.#silence ??= setTimeout(() => this.#fail('REQUEST_TIMEOUT'), this.#limits.silence_ms)
    this.#silence.refresh()
  }

  #readSpilled(): void {
    try {
      this.push(this.#spilled.read())
      if (this.#whole && this.#spilled.is_empty) this.push(null)
    } catch (error) {
      this.destroy(error as Error)
    }
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#silence)
    this.#spilled.close()
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
    let wants_more: boolean
    try {
      wants_more = this.#hold(new Uint8Array(chunk))
    } catch (error) {
      this.destroy(error as Error)
      return
    }
    if (is_last) {
      clearTimeout(this.#silence)
      this.#holdConnection()
      // As in `BodyReader.read`: not before the parser is done with the packet.
      if (this.#spilled.is_empty) setImmediate(() => this.destroyed || this.push(null))
    } else if (!wants_more && !this.#paused) {
      this.#paused = true
      // The silence limit applies only while a reader waits for the client.
      clearTimeout(this.#silence)
      this.#silence = undefined
      this.#response.pause()
    }
  }

  /** Copies the bytes, whose memory uWS reclaims. Returns false when there are enough for now. */
  #hold(bytes: Uint8Array): boolean {
    if (bytes.length === 0) return true
    if (this.#spilled.is_empty && this.readableLength < MAX_HELD) return this.push(Buffer.from(bytes))
    this.#spilled.write(bytes)
    return false
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

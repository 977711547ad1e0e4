/**
 * Reads request bodies into memory, up to a limit and no slower than a floor.
 *
 * A body may take `timeout_ms` plus a second for each 16 KiB of it that arrived (the pace below which uWebSockets.js
 * would cut the connection without a word); one sweep a second serves all bodies under way, so a request costs no timer.
 */
import type * as uWS from 'uWebSockets.js'

const FLOOR_BYTES_PER_MS = 16.384
/** Of all bodies that are read, or belong to requests under way; what is parsed of them takes some times that. */
const MOST_BYTES = 64 * 1024 * 1024

export type BodyProblem = 'PAYLOAD_TOO_LARGE' | 'REQUEST_TIMEOUT'
type Done = (body: Uint8Array | undefined, problem: BodyProblem | undefined) => void
type Reading = { started: number; received: number; done: Done }

const EMPTY = new Uint8Array()

export class BodyReader {
  readonly timeout_ms: number
  readonly #readings = new Set<Reading>()
  #held = 0
  #sweeper: NodeJS.Timeout | undefined

  constructor(timeout_ms: number) {
    this.timeout_ms = timeout_ms
  }

  /** Whether so much is held that no further body should be begun. */
  get full(): boolean {
    return this.#held >= MOST_BYTES
  }

  /** The request whose body had that many bytes is done with. */
  release(bytes: number): void {
    this.#held -= bytes
  }

  /**
   * Calls `done` once, unless the client goes away first: call the returned function then. The body is only valid
   * during the call: its memory may belong to the socket.
   */
  read(response: uWS.HttpResponse, limit: number, started: number, done: Done): () => void {
    let chunks: Buffer[] | undefined
    const reading: Reading = { started, received: 0, done }
    let over = false
    const finish = (body: Uint8Array | undefined, problem?: BodyProblem) => {
      over = true
      this.#readings.delete(reading)
      // A body that is handed over is held until `release`.
      if (body === undefined) this.#held -= reading.received
      done(body, problem)
    }
    reading.done = (body, problem) => finish(body, problem)
    response.onData((chunk, last) => {
      if (over) return
      reading.received += chunk.byteLength
      this.#held += chunk.byteLength
      if (reading.received > limit) return finish(undefined, 'PAYLOAD_TOO_LARGE')
      if (last && chunks === undefined) return finish(chunk.byteLength === 0 ? EMPTY : new Uint8Array(chunk))
      // uWS takes the chunk's memory back when this returns.
      chunks ??= []
      if (chunk.byteLength > 0) chunks.push(Buffer.from(new Uint8Array(chunk)))
      if (last) finish(Buffer.concat(chunks))
    })
    this.#readings.add(reading)
    this.#sweeper ??= setInterval(() => this.#sweep(), Math.min(1000, this.timeout_ms / 2)).unref()
    return () => {
      if (!over) this.#held -= reading.received
      over = true
      this.#readings.delete(reading)
    }
  }

  #sweep(): void {
    const now = performance.now()
    for (const { started, received, done } of this.#readings) {
      if (now - started > this.timeout_ms + received / FLOOR_BYTES_PER_MS) done(undefined, 'REQUEST_TIMEOUT')
    }
  }

  close(): void {
    clearInterval(this.#sweeper)
  }
}

const JSON_CONTENT = /^application\/(?:[\w.-]+\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?;?$/i

/** Whether the headers announce plain JSON in UTF-8. */
export function readableAs(content_type: string, content_encoding: string): boolean {
  return JSON_CONTENT.test(content_type) && (content_encoding === '' || content_encoding.toLowerCase() === 'identity')
}

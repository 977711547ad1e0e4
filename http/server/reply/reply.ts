/**
 * The answer to one request, from its first header to its last byte. One file, because all of it guards one response.
 *
 * Invariants:
 *  R1 Nothing is written after the client left or after the answer: `#open` guards every write.
 *  R2 An answer that is not written before the handler returns is preceded by `detach`, which registers for aborts.
 *  Even one that is has an abort handler: see `outliveClient`.
 *  R3 A paused connection is resumed before a byte is written: uWebSockets.js forgets which side it waits for when a
 *  write gets stuck.
 */

import type * as uWS from 'uWebSockets.js'
import type { Readable } from 'node:stream'
import { type CommandResult, errorCatalogue } from '../../../actors/mod.ts'
import { type ApiError, envelope } from '../errors/api_error.ts'
import { type DownloadPlan, sendStream } from '../files/download.ts'
import { isKnown } from '../files/range.ts'
import type { Preconditions } from '../input/precondition.ts'
import { byteLength, type CompiledRoute, statusLine } from '../route/compiled_route.ts'
import { ResponseWithHeaders } from '../route/response_with_headers.ts'
import type { RawAnswer } from '../route/route.ts'
import type { ServerContext } from '../server_context.ts'
import { sendPieces } from './send_pieces.ts'
import { outliveClient } from './wire.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const CONTENT_TYPE = /^[\x20-\x7e]{1,200}$/
/** Status for clients that left before the answer; nginx uses it too. */
const CLIENT_LEFT = 499

/** The request that is answered. */
export type Asked = {
  /** An answer is about to be written. */
  answering(): void
  /** The client left. */
  left(): void
  /** Nothing more is written: it was answered with this status, or its client left. */
  over(status: number): void
}

/** Shorter than the time for which the parser waits for a client. */
const ATTEND_MS = 5_000

export class Reply {
  readonly request_id: string
  readonly #asked: Asked
  readonly #server: ServerContext
  readonly #compiled_route: CompiledRoute
  readonly #response: uWS.HttpResponse
  #open = true
  #detached = false
  #held = false
  #is_late = false
  #is_last = false
  #is_leaving = false
  /** Header lines, each ended. */
  #headers = ''
  #stop_sending: (() => void) | undefined
  #attending: NodeJS.Timeout | undefined

  constructor(
    asked: Asked,
    server: ServerContext,
    compiled_route: CompiledRoute,
    response: uWS.HttpResponse,
    request_id: string,
  ) {
    this.#asked = asked
    this.#server = server
    this.#compiled_route = compiled_route
    this.#response = response
    this.request_id = request_id
    outliveClient(response)
  }

  /** False once it is answered or its client left. */
  get open(): boolean {
    return this.#open
  }

  /** Whole lines, each ended. */
  addHeaders(lines: string) {
    this.#headers += lines
  }

  detach() {
    if (this.#detached) return
    this.#detached = true
    this.#server.metrics.in_flight++
    this.#response.onAborted(() => {
      this.#asked.left()
      this.#stop_sending?.()
      if (this.#open) this.#finish(CLIENT_LEFT)
    })
  }

  /**
   * Reads nothing more before the answer, so that a request behind this one waits. The parser would cut the connection
   * over it, and the client would not learn the outcome of this one.
   */
  hold() {
    if (!this.#open || this.#held) return
    this.#held = true
    this.#response.pause()
  }

  /**
   * Reads on, against `hold`, so that a client that leaves is noticed. The parser cuts the connection when another request follows
   * on it before the answer. It also cuts one on which it waits for ten seconds, unless the wait begins anew.
   */
  attend() {
    if (!this.#open) return
    this.#held = false
    this.#response.resume()
    this.#attending = setInterval(() => {
      if (!this.#open) return
      this.#response.pause()
      this.#response.resume()
    }, ATTEND_MS).unref()
  }

  #letGo() {
    clearInterval(this.#attending)
    this.#asked.answering()
    if (this.#held) this.#response.resume()
    this.#held = false
  }

  /**
   * Writes the answer once the parser is done with the packet. When another request follows in it, the parser cuts the
   * connection, so that a client that sends many at once is not answered one by one.
   */
  later() {
    this.#is_late = true
    this.detach()
  }

  /**
   * Ends the connection with this answer. The parser would otherwise take the rest of the packet for the next request,
   * although the answer announces the close.
   */
  last() {
    this.#is_last = true
    this.later()
  }

  json(status: number, json: string | undefined) {
    if (json === undefined || status === 204) return this.#write(status, undefined)
    this.#headers += `Content-Type: ${JSON_TYPE}\r\n`
    this.#write(status, json)
  }

  /** Answers with the result of the project or a provider. */
  result(result: CommandResult) {
    if (result.replayed) this.#headers += 'Idempotent-Replayed: true\r\n'
    if ('error' in result) return this.fail(result.error)
    const { versioned, status } = this.#compiled_route.route
    const { body, json = body === undefined ? undefined : JSON.stringify(body) } = result
    if (versioned !== undefined) this.#headers += `ETag: "${versioned(body ?? JSON.parse(json!))}"\r\n`
    this.json(result.status ?? status, json)
  }

  /** Answers with a value that a route read. */
  value(value: unknown, preconditions: Preconditions | undefined) {
    const { method, status, versioned } = this.#compiled_route.route
    let body = value
    if (value instanceof ResponseWithHeaders) {
      body = value.body
      this.#headers += value.headers
    }
    if (versioned !== undefined) {
      const version = String(versioned(body))
      // A change has checked the version before it was made.
      const { if_match, if_none_match } = (method === 'GET' && preconditions) || {}
      if (if_match?.includes(version) === false)
        return this.fail({ code: 'PRECONDITION_FAILED', details: { version: versioned(body) } })
      this.#headers += `ETag: "${version}"\r\n`
      if (if_none_match !== undefined && isKnown(if_none_match, `"${version}"`)) return this.empty(304, 0)
    }
    this.json(status, body === undefined ? undefined : JSON.stringify(body))
  }

  raw({ status, body, content_type = JSON_TYPE, headers = {} }: RawAnswer) {
    if (!CONTENT_TYPE.test(content_type)) throw new Error(`not a content type: ${JSON.stringify(content_type)}`)
    this.#headers += `Content-Type: ${content_type}\r\n`
    for (const name in headers) this.#headers += `${name}: ${headers[name]}\r\n`
    this.#write(status, body)
  }

  /** Answers with an error. `headers` are whole lines. */
  fail(failure: ApiError, headers = '') {
    this.#headers += headers
    if (failure.retry_after !== undefined) this.#headers += `Retry-After: ${failure.retry_after}\r\n`
    if (failure.code === 'METHOD_NOT_ALLOWED') this.#headers += allowLine(failure)
    if (failure.code === 'UNAUTHENTICATED') {
      // A token may be revoked after its request was counted and read: all these answers are the same.
      const lines = this.#headers.split('\r\n').filter((line) => !/^(?:X-RateLimit-|Deprecation:)/.test(line))
      this.#headers = `${lines.join('\r\n')}WWW-Authenticate: Bearer\r\n`
    }
    this.#headers += `Content-Type: ${JSON_TYPE}\r\n`
    this.#write(errorCatalogue[failure.code].status, envelope(failure), failure.close)
  }

  /** Answers with a body that comes piece by piece. */
  stream({ status, length }: Pick<DownloadPlan, 'status' | 'length'>, stream: Readable) {
    if (!this.#open) return void stream.destroy()
    this.#announceLast()
    this.#letGo()
    this.#response.cork(() => this.#response.writeStatus(this.#head(status)))
    const sending = sendStream(this.#response, stream, length, () => this.#finish(status))
    this.#stop_sending = sending.stop
  }

  /** Answers with bytes whose headers were added already. */
  bytes(status: number, body: Uint8Array | undefined) {
    this.#write(status, body)
  }

  /** Answers with pieces of unknown length. Their headers were added already. */
  pieces(status: number, source: ReadableStream<Uint8Array>) {
    if (!this.#open) return void source.cancel().catch(() => {})
    this.#announceLast()
    this.#letGo()
    this.#response.cork(() => this.#response.writeStatus(this.#head(status)))
    this.#stop_sending = sendPieces(this.#response, source, () => this.#finish(status)).stop
  }

  /** Answers without a body but with the length that it would have. */
  empty(status: number, length: number) {
    if (!this.#open) return
    this.#announceLast()
    this.#letGo()
    const announced = status === 304 ? '' : `\r\nContent-Length: ${length}`
    this.#response.cork(() => this.#response.writeStatus(this.#head(status) + announced).endWithoutBody())
    this.#finish(status)
  }

  /** For answers that do not end the connection themselves: the client does so. */
  #announceLast() {
    if (this.#server.is_leaving) this.#headers += 'Connection: close\r\n'
  }

  #write(status: number, body: string | Uint8Array | undefined, ends = false) {
    if (!this.#open || this.#is_leaving) return
    const close = ends || this.#server.is_leaving
    if (this.#is_late) {
      this.#is_leaving = true
      this.hold()
      return void setImmediate(() => this.#leave(status, body, close))
    }
    this.#letGo()
    if (this.#detached) this.#response.cork(() => this.#flush(status, body, close))
    else this.#flush(status, body, close)
    this.#finish(status)
  }

  #leave(status: number, body: string | Uint8Array | undefined, close: boolean) {
    if (!this.#open) return
    this.#letGo()
    if (!this.#is_last || (body !== undefined && !this.#compiled_route.head)) {
      this.#response.cork(() => this.#flush(status, body, close || this.#is_last))
      return this.#finish(status)
    }
    // Ending without a body does not close the connection. The status line ends itself, so this is the whole head.
    this.#response.cork(() => this.#response.writeStatus(`${this.#head(status)}\r\nConnection: close\r\n`))
    this.#finish(status)
    this.#response.close()
  }

  #flush(status: number, body: string | Uint8Array | undefined, close: boolean) {
    const response = this.#response
    const head = this.#head(status)
    if (body !== undefined && !this.#compiled_route.head) response.writeStatus(head).end(body, close)
    else {
      // Given a length, endWithoutBody of uWebSockets.js 20 waits for the body, and then ends the process.
      const length = status === 204 ? '' : `\r\nContent-Length: ${body === undefined ? 0 : byteLength(body)}`
      response.writeStatus(`${head}${length}${close ? '\r\nConnection: close' : ''}`).endWithoutBody()
    }
  }

  /**
   * Writes the status line and all headers in one piece: a call into native code costs more than concatenation, and a
   * dozen headers would be a dozen calls. All of the text is ours or was checked for line breaks.
   */
  #head(status: number): string {
    return `${statusLine(status)}\r\n${this.#headers}X-Request-Id: ${this.request_id}`
  }

  #finish(status: number) {
    this.#open = false
    clearInterval(this.#attending)
    if (this.#detached) this.#server.metrics.in_flight--
    this.#asked.over(status)
  }
}

/** RFC 9110, 15.5.6. */
function allowLine({ details }: ApiError): string {
  const { allowed = [] } = (details ?? {}) as { allowed?: string[] }
  return `Allow: ${allowed.join(', ')}\r\n`
}

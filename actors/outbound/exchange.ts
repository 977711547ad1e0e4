import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { mayBegin } from '../../runtime/mod.ts'
import { ProxyFailed, Refused } from './failures.ts'
import { parseUrl } from './parse_url.ts'

export type ExchangeRequest = {
  url: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers: Record<string, string>
  /** A stream requires a `content-length` header. */
  body?: string | Uint8Array | Readable | undefined
  /** Milliseconds for connecting, sending and receiving together. */
  deadline_ms: number
  /** Maximum bytes of the body; then the connection is cut. */
  read_limit: number
  signal?: AbortSignal | undefined
  /** Receives the body of a 2xx answer as it comes. `body` is then empty. */
  stream?: AnswerStream | undefined
}

export type AnswerStream = {
  head(status: number, headers: Exchange['headers']): void
  /** A copy that the receiver may keep. */
  data(chunk: Buffer): void
}

/** The reason why an exchange ended before the response did. Slugs: they are shown to users as `last_error`. */
export type ExchangeError =
  | 'address_forbidden'
  | 'name_not_resolved'
  | 'connection_refused'
  | 'connection_failed'
  | 'connection_reset'
  | 'tls_failed'
  | 'proxy_failed'
  | 'timeout'
  | 'invalid_response'
  | 'invalid_request'
  | 'aborted'

export type Exchange = {
  /** Null when there was no status line. */
  status: number | null
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  /** The whole body is in `body`. */
  is_complete: boolean
  /** Null when the response was complete or reached `read_limit`. */
  error: ExchangeError | null
  /** The exact TLS error as a slug, such as `cert_has_expired`. */
  error_detail: string | null
  /** The other side may have read the request: writing it had begun. */
  was_sent: boolean
  duration_ms: number
}

/**
 * One request and its response, within a deadline and a size. Follows no redirect, decodes nothing, repeats nothing,
 * never rejects. Slow work that has lost its state meanwhile sends nothing. After the deadline a request that was still
 * waiting for its connection is not sent any more.
 */
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<Exchange> {
  return new Promise((resolve) => new Run(request, resolve).start(dispatcher))
}

/** Maximum interim answers (1xx) before the real one. More are treated as a flood. */
const MAX_INTERIM = 20

class Run implements Dispatcher.DispatchHandler {
  readonly #request: ExchangeRequest
  readonly #resolve: (exchange: Exchange) => void
  readonly #started_at = performance.now()
  readonly #chunks: Buffer[] = []
  #size = 0
  #status: number | null = null
  #headers: Exchange['headers'] = {}
  #controller: Dispatcher.DispatchController | undefined
  #timer: NodeJS.Timeout | undefined
  #interim = 0
  #done = false

  constructor(request: ExchangeRequest, resolve: (exchange: Exchange) => void) {
    this.#request = request
    this.#resolve = resolve
  }

  start(dispatcher: Dispatcher): void {
    const { method, headers, body, deadline_ms, signal } = this.#request
    const target = targetOf(this.#request.url)
    if (!target || signal?.aborted) {
      this.#end(target ? 'aborted' : 'invalid_request')
      return
    }
    this.#timer = setTimeout(this.#onDeadline, deadline_ms)
    signal?.addEventListener('abort', this.#onAbort, { once: true })
    const options: Dispatcher.DispatchOptions = {
      ...target,
      method,
      headers,
      body: body ?? null,
      headersTimeout: 0,
      bodyTimeout: 0,
    }
    try {
      dispatcher.dispatch(options, this)
    } catch {
      this.#end('invalid_request')
    }
  }

  readonly #onDeadline = (): void => this.#end('timeout')
  readonly #onAbort = (): void => this.#end('aborted')

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Waiting for a connection may have taken long.
    if (!this.#done && !mayBegin(this.#request.signal)) this.#end('aborted')
    if (this.#done) controller.abort(new Error('too late'))
    else this.#controller = controller
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Exchange['headers']): void {
    if (status < 200) {
      this.#interim += 1
      if (this.#interim > MAX_INTERIM) this.#end('invalid_response')
      return
    }
    this.#status = status
    this.#headers = headers
    if (this.#streams()) this.#request.stream?.head(status, headers)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = this.#request.read_limit - this.#size
    // A copy: the chunk is a view of the parser's memory.
    if (room > 0) this.#keep(Buffer.from(chunk.subarray(0, room)))
    this.#size += chunk.length
    if (chunk.length > room) this.#end(null, false)
  }

  #streams(): boolean {
    return this.#request.stream !== undefined && this.#status !== null && this.#status >= 200 && this.#status < 300
  }

  #keep(chunk: Buffer): void {
    if (this.#streams()) this.#request.stream?.data(chunk)
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#end(null)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(slugOf(error), false, error)
  }

  #end(error: ExchangeError | null, is_complete = error === null, reason?: Error): void {
    if (this.#done) return
    this.#done = true
    clearTimeout(this.#timer)
    this.#request.signal?.removeEventListener('abort', this.#onAbort)
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      body: this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks),
      is_complete,
      error,
      error_detail: error === 'tls_failed' && reason ? tlsDetail(reason) : null,
      was_sent: this.#controller !== undefined,
      duration_ms: Math.round(performance.now() - this.#started_at),
    })
    if (!is_complete) this.#controller?.abort(new Error('cut'))
  }
}

type Target = { origin: string; path: string }

const MAX_TARGETS = 1_000
const targets = new Map<string, Target>()

/** The parts of a URL that a request needs. Cached, because a few URLs recur and parsing is expensive. */
function targetOf(text: string): Target | undefined {
  const known = targets.get(text)
  if (known) return known
  const url = parseUrl(text)
  if (!url) return undefined
  const target = { origin: url.origin, path: url.pathname + url.search }
  if (targets.size >= MAX_TARGETS) targets.clear()
  targets.set(text, target)
  return target
}

const SLUGS: Record<string, ExchangeError> = {
  ECONNREFUSED: 'connection_refused',
  EHOSTUNREACH: 'connection_failed',
  ENETUNREACH: 'connection_failed',
  EADDRNOTAVAIL: 'connection_failed',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  EPROTO: 'tls_failed',
  UND_ERR_SOCKET: 'connection_reset',
  ENOTFOUND: 'name_not_resolved',
  ENODATA: 'name_not_resolved',
  EAI_AGAIN: 'name_not_resolved',
  ESERVFAIL: 'name_not_resolved',
  ETIMEOUT: 'name_not_resolved',
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_CLOSED: 'aborted',
  UND_ERR_ABORTED: 'aborted',
  UND_ERR_INVALID_ARG: 'invalid_request',
  UND_ERR_NOT_SUPPORTED: 'invalid_request',
}

/** The slug for a failed connection or response. */
export function slugOf(error: Error & { code?: string; syscall?: string }): ExchangeError {
  if (error instanceof Refused) return 'address_forbidden'
  if (error instanceof ProxyFailed) return 'proxy_failed'
  const code = error.code ?? ''
  if (error.syscall?.startsWith('query')) return 'name_not_resolved'
  // undici's errors for 101 Switching Protocols, which was not requested, and for a second 100 of its own.
  if (code === 'UND_ERR_SOCKET' && /^bad (?:response|upgrade)$/.test(error.message)) return 'invalid_response'
  if (SLUGS[code]) return SLUGS[code]
  if (/^HPE_|^UND_ERR_(?:HEADERS|RES|RESPONSE)|HTTPParser/.test(code) || error.name === 'HTTPParserError')
    return 'invalid_response'
  if (/TLS|SSL|CERT|SIGNATURE|SELF_SIGNED|^INVALID_|PATH_LENGTH|HOSTNAME_MISMATCH/.test(code)) return 'tls_failed'
  // Several addresses failed: the first error stands for all.
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return slugOf(error.errors[0])
  return 'connection_failed'
}

/** The error code of OpenSSL or Node.js. Not its text: that repeats names from an untrusted certificate. */
function tlsDetail(error: Error & { code?: string }): string | null {
  return error.code?.replace(/^ERR_(?:TLS|SSL)_/, '').toLowerCase() ?? null
}

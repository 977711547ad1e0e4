/**
 * Sends calls to one Parley with one token, and repeats them while that may help.
 *
 * 1. All attempts of a call carry the same `Idempotency-Key`, so the call works once at most.
 * 2. An aborted signal ends the call at once, with the signal's reason; nothing is sent afterwards.
 * 3. A wait that the server asks for is kept in full, or the call fails at once. It is never shortened.
 */
import { ApiError, ConnectionError, parsed, refusalOf, TimeoutError } from './errors.ts'
import { type Pool, RateBudget, type RateLimits, rateLimitsOf } from './rate_limits.ts'
import { type Clock, clock, delayBefore, isPassing, retryAfterOf } from './retry.ts'

export type ConnectionOptions = {
  /** The address of Parley, without `/v1`. */
  base_url: string
  /** A personal access token, `svc_pk_…`. */
  token?: string | undefined
  /** Repeated attempts of a call. 2 by default. */
  max_retries?: number
  /** Milliseconds for one attempt. 30,000 by default. */
  timeout_ms?: number
  /** Milliseconds that a call waits for a rate limit or a `Retry-After`, at most. 60,000 by default. */
  max_wait_ms?: number
  /** Headers of every request. */
  headers?: Record<string, string>
  /** Used instead of the global `fetch`. */
  fetch?: typeof fetch
  /** Used instead of the clock of the machine. For tests. */
  clock?: Clock
}

/** Options of one call. */
export type CallOptions = {
  /** Ends the call, and all waits in it, with the signal's reason. */
  signal?: AbortSignal | undefined
  timeout_ms?: number
  max_retries?: number
  /** A key of your own, such as the id of the order that the call belongs to. One is made otherwise. */
  idempotency_key?: string
  /** The `etag` of the version that the change is based on. */
  if_match?: string
  headers?: Record<string, string>
  /** Called with the head of the last answer, a refusal included. */
  on_answer?: (answer: Answer) => void
}

/** The head of an answer. */
export type Answer = {
  status: number
  headers: Headers
  request_id: string | undefined
  etag: string | undefined
  rate_limits: RateLimits
  /** True when the server had done the work for an earlier attempt. */
  is_replayed: boolean
  /** Attempts of the call, this one included. */
  attempts: number
}

export type QueryValue = string | number | boolean | undefined

/** A request, as the generated operations state it. */
export type ApiRequest = {
  method: string
  /** With its parameters filled in, or a function that fills them in: a wrong one then rejects the call. */
  path: string | (() => string)
  query?: Readonly<Record<string, QueryValue>> | undefined
  /** Sent as JSON. */
  body?: unknown
  form?: FormData
  /** True when an `Idempotency-Key` makes repetitions harmless. */
  takes_key?: boolean
  pool?: Pool
  /** `stream` gives the `Response` itself. */
  gives?: 'json' | 'stream'
  /** Milliseconds beyond the timeout for which the server may hold the answer back. */
  holds_ms?: number
}

const SECOND_MS = 1000

export class Connection {
  readonly base_url: string
  readonly #options: ConnectionOptions
  readonly #clock: Clock
  readonly #budget = new RateBudget()

  /** @throws {TypeError} when `base_url` is not an address of the web */
  constructor(options: ConnectionOptions) {
    const protocol = URL.canParse(options.base_url) && new URL(options.base_url).protocol
    if (protocol !== 'http:' && protocol !== 'https:') {
      throw new TypeError('base_url must be the address of Parley, such as https://parley.example.com')
    }
    this.base_url = options.base_url.replace(/\/$/, '')
    this.#options = options
    this.#clock = options.clock ?? clock
  }

  /** The rate limits of the project, by the last answers. */
  get rate_limits(): RateLimits {
    return this.#budget.limits
  }

  /**
   * The body of a successful answer: undefined for an empty one.
   * @throws {ApiError} when the API refuses
   * @throws {ConnectionError} when no answer comes
   * @throws {TypeError} when a parameter of the path is no id
   */
  async request<Body>(request: ApiRequest, options: CallOptions = {}): Promise<Body> {
    const { signal, on_answer } = options
    const max_retries = options.max_retries ?? this.#options.max_retries ?? 2
    const path = typeof request.path === 'string' ? request.path : request.path()
    const headers = this.#headersOf(request, options)
    for (let attempt = 1; ; attempt++) {
      await this.#admission(request.pool, signal)
      signal?.throwIfAborted()
      try {
        return await this.#attempt<Body>(path, request, headers, options, (response) => {
          on_answer?.(answerOf(response, attempt))
        })
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        if (attempt > max_retries || !isPassing(error)) throw error
        const delay_ms = delayBefore(attempt, error, this.#clock.random())
        if (delay_ms > this.#max_wait_ms * 1.1) throw error
        await this.#sleep(delay_ms, signal)
      }
    }
  }

  get #max_wait_ms(): number {
    return this.#options.max_wait_ms ?? 60 * SECOND_MS
  }

  /** Waits while the budget is known to be used up. The server decides when the wait would be too long. */
  async #admission(pool: Pool | undefined, signal: AbortSignal | undefined): Promise<void> {
    const wait_ms = this.#budget.wait(pool, this.#clock.now())
    if (wait_ms > 0 && wait_ms <= this.#max_wait_ms) await this.#sleep(wait_ms, signal)
  }

  async #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await this.#clock.sleep(ms, signal)
    signal?.throwIfAborted()
  }

  #headersOf({ body, takes_key }: ApiRequest, options: CallOptions): Record<string, string> {
    const { token } = this.#options
    const key = options.idempotency_key ?? (takes_key ? newKey() : undefined)
    return {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(options.if_match !== undefined && { 'if-match': options.if_match }),
      ...this.#options.headers,
      ...options.headers,
    }
  }

  async #attempt<Body>(
    path: string,
    { method, query, body, form, gives, holds_ms = 0 }: ApiRequest,
    headers: Record<string, string>,
    options: CallOptions,
    tell: (response: Response) => void,
  ): Promise<Body> {
    const timeout_ms = (options.timeout_ms ?? this.#options.timeout_ms ?? 30 * SECOND_MS) + holds_ms
    const patience = new Patience(timeout_ms, options.signal)
    try {
      const send = this.#options.fetch ?? fetch
      const response = await send(`${this.base_url}${path}${queryText(query)}`, {
        method,
        headers,
        body: form ?? (body === undefined ? null : JSON.stringify(body)),
        // A redirect could carry the token to a stranger.
        redirect: 'manual',
        signal: patience.signal,
      })
      this.#budget.note(response.headers, this.#clock.now())
      if (gives === 'stream' && response.ok) {
        tell(response)
        return response as Body
      }
      const text = await response.text()
      tell(response)
      const answer = text === '' ? undefined : parsed(text)
      if (response.ok && (text === '' || answer !== undefined)) return answer as Body
      throw refusalOf(response.status, response.headers, text, retryAfterOf(response.headers))
    } catch (error) {
      if (error instanceof ApiError) throw error
      if (patience.is_over) throw new TimeoutError(`No answer from ${this.base_url} within ${timeout_ms} ms`)
      throw new ConnectionError(`No answer from ${this.base_url}`, { cause: error })
    } finally {
      patience.end()
    }
  }
}

/** Aborts after a time, or with another signal. */
class Patience {
  is_over = false
  readonly #controller = new AbortController()
  readonly #timer: ReturnType<typeof setTimeout>
  readonly #outer: AbortSignal | undefined

  constructor(ms: number, outer: AbortSignal | undefined) {
    this.#outer = outer
    this.#timer = setTimeout(() => {
      this.is_over = true
      this.#controller.abort()
    }, ms)
    outer?.addEventListener('abort', this.#abort)
    if (outer?.aborted) this.#abort()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#outer?.removeEventListener('abort', this.#abort)
  }

  readonly #abort = () => this.#controller.abort(this.#outer?.reason)
}

function answerOf({ status, headers }: Response, attempts: number): Answer {
  return {
    status,
    headers,
    request_id: headers.get('x-request-id') ?? undefined,
    etag: headers.get('etag') ?? undefined,
    rate_limits: rateLimitsOf(headers),
    is_replayed: headers.get('idempotent-replayed') === 'true',
    attempts,
  }
}

/** A random key. `crypto.randomUUID` is missing on pages without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `pc_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function queryText(query: ApiRequest['query']): string {
  const text = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) text.append(name, String(value))
  return text.size === 0 ? '' : `?${text}`
}

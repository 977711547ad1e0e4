import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ApiError,
  type ApiRequest,
  type CallOptions as ClientOptions,
  Connection,
  ConnectionError,
  TimeoutError,
} from '../../client/mod.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { listingFor } from './listing.ts'

/** Milliseconds: longer than any wait of the server itself. */
const PATIENCE_MS = 30_000
/** Further attempts to read from a node that cannot answer at the moment, and the longest pause before each in seconds. */
const READ_RETRIES = 3
const MAX_PAUSE_S = 5
/** Milliseconds: the longest time of a timer. A download begins when its file is made. */
const MAX_MS = 2 ** 31 - 1

type Details = { violations?: { path: string; message: string }[]; missing?: string[]; [key: string]: unknown }

const KEY_ADVICE = {
  'operator key': 'give the PARLEY_OPERATOR_KEY of that server, or --operator-key',
  token: 'it is wrong, revoked or expired; give another with --token or PARLEY_TOKEN',
}

/** The API refused: its code and its sentence. */
export class ApiRefusal extends CommandFailure {
  readonly status: number
  readonly code: string
  readonly details: Details
  /** Seconds after which to ask again; 0 when the API names none. */
  readonly retry_after: number

  constructor(sentence: string, status: number, code: string, details: Details = {}, retry_after = 0) {
    super(sentence)
    this.status = status
    this.code = code
    this.details = details
    this.retry_after = retry_after
  }
}

/** No server answers at the address. */
export class Unreachable extends CommandFailure {}

/** Pages by cursor have `next_cursor`, those by offset none. */
type Page<Row> = { data: Row[]; has_more: boolean; next_cursor?: string | null }

type PlainRequest = ApiRequest & { path: string }

type CallOptions = {
  patience_ms?: number
  headers?: Record<string, string>
  /** Sent instead of a body of JSON. */
  form?: FormData
}

/** Characters that no header carries. */
const UNSENDABLE = /[^\x20-\x7e\x80-\xff]/

/** A client of one Parley (or its simulator) with one key. Errors are sentences for people. */
export class Api {
  readonly base_url: string
  /** Requests the project has left in the window that has the fewest, by the last answer. */
  remaining = Number.POSITIVE_INFINITY
  /** Ends calls, and refuses further ones. */
  signal: AbortSignal | undefined
  readonly #connection: Connection
  readonly #key_name: keyof typeof KEY_ADVICE

  constructor(base_url: string, key: string | undefined, key_name: keyof typeof KEY_ADVICE) {
    // The failure of the request would repeat the key.
    if (key !== undefined && UNSENDABLE.test(key)) {
      throw new CommandFailure(`The ${key_name} contains a line break or a character that no key has: give it alone.`)
    }
    this.base_url = base_url
    this.#key_name = key_name
    const headers: Record<string, string> = staysHere(base_url) ? { 'x-forwarded-proto': 'https' } : {}
    // A person decides about a repetition, and commands that wait for a limit say so.
    this.#connection = new Connection({ base_url, token: key, headers, max_retries: 0, max_wait_ms: 0 })
  }

  /**
   * The body of a successful answer.
   * @throws {ApiRefusal} when the API refuses
   * @throws {Unreachable} when there is no answer
   */
  async call<Answer = unknown>(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<Answer> {
    const { patience_ms: timeout_ms = PATIENCE_MS, headers = {}, form } = options
    const request: PlainRequest = { method, path, body, ...(form && { form }) }
    return await this.#ask<Answer>(request, { timeout_ms, headers, signal: this.signal })
  }

  /**
   * Downloads a file to `to`, which must not exist. Returns its SHA-256 in hex.
   * @throws {ApiRefusal} when the API refuses
   * @throws {Unreachable} when there is no answer, or it breaks off
   */
  async download(path: string, to: string, progress: (bytes: number) => void): Promise<string> {
    const response: Response = await this.#ask({ method: 'GET', path, gives: 'stream' }, { timeout_ms: MAX_MS })
    const hash = createHash('sha256')
    let bytes = 0
    const meter = new Transform({
      transform(chunk: Buffer, _, done) {
        hash.update(chunk)
        bytes += chunk.length
        progress(bytes)
        done(null, chunk)
      },
    })
    try {
      await pipeline(response.body!, meter, createWriteStream(to, { flags: 'wx', mode: 0o600 }))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error
      throw new Unreachable(`The download from ${this.base_url} broke off (${reason(error)}).`)
    }
    return hash.digest('hex')
  }

  /** All records of a list of the operator API. */
  async all<Row>(path: string, filter: Record<string, unknown> = {}): Promise<Row[]> {
    const records: Row[] = []
    const query = new URLSearchParams({ limit: '200' })
    for (const [name, value] of Object.entries(filter)) if (value) query.set(name, String(value))
    for (;;) {
      const { data, has_more, next_cursor } = await this.call<Page<Row>>('GET', `${path}?${query}`)
      records.push(...data)
      if (!has_more) return records
      // Pages by offset repeat records while others are added.
      if (next_cursor) query.set('cursor', next_cursor)
      else query.set('offset', String(records.length))
    }
  }

  async #ask<Answer>(request: PlainRequest, options: ClientOptions, attempt = 1): Promise<Answer> {
    try {
      return await this.#connection.request(request, {
        ...options,
        on_answer: ({ rate_limits: { minute, hour, day } }) => {
          const left = [minute, hour, day].filter((limit) => limit !== undefined)
          this.remaining = Math.min(...left.map(({ remaining }) => remaining))
        },
      })
    } catch (error) {
      if (options.signal?.aborted) throw new CommandFailure('Ended.')
      // Reading again does no harm, and a node says so while it starts, is overloaded or hands over.
      if (request.method === 'GET' && attempt <= READ_RETRIES && isUnavailable(error)) {
        const pause_ms = 1000 * Math.min(error.retry_after_s ?? 1, MAX_PAUSE_S)
        // The next attempt tells that the command was ended.
        await sleep(pause_ms, undefined, { signal: options.signal }).catch(() => {})
        return await this.#ask(request, options, attempt + 1)
      }
      if (error instanceof ApiError) throw this.#refusal(error, request.path)
      throw new Unreachable(
        `Nobody answers at ${this.base_url} (${reason(error)}): start Parley with \`npm start\`, or correct the address.`,
      )
    }
  }

  #refusal({ status, code, message, details, retry_after_s = 0 }: ApiError, path: string): ApiRefusal {
    if (status === 401) {
      return new ApiRefusal(
        `${this.base_url} refuses the ${this.#key_name} (401 Unauthorized): ${KEY_ADVICE[this.#key_name]}.`,
        401,
        'UNAUTHENTICATED',
      )
    }
    if (code === 'HTTPS_REQUIRED') return new ApiRefusal(this.#httpsAdvice(), status, code)
    if (code === 'UNEXPECTED_ANSWER') {
      return new ApiRefusal(
        `${this.base_url} answers ${status} and not as Parley does: correct the address.`,
        status,
        '',
      )
    }
    const listing = status === 404 ? listingFor(path) : undefined
    const advice = listing ? `; \`${listing}\` shows which there are` : ''
    const sentence = `${explain(message, details)}${advice} (${code}).`
    return new ApiRefusal(sentence, status, code, details, retry_after_s)
  }

  #httpsAdvice(): string {
    const proxy = 'give the https:// address of its proxy (--base-url or PARLEY_BASE_URL)'
    const trust = 'or, to work on its own machine without TLS, add 127.0.0.1 to its PARLEY_TRUSTED_PROXIES'
    const advice = staysHere(this.base_url) ? `${proxy}, ${trust}` : proxy
    return `${this.base_url} is a production Parley, which takes no plain HTTP: ${advice} (HTTPS_REQUIRED).`
  }
}

/**
 * True for plain HTTP on this machine, which is as private as TLS; the header then claims that. The server accepts the
 * header only where PARLEY_TRUSTED_PROXIES has this machine: a careless proxy beside the server looks the same, so a
 * loopback address alone proves nothing.
 */
function staysHere(base_url: string): boolean {
  const { protocol, hostname } = new URL(base_url)
  return protocol === 'http:' && /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(hostname)
}

/** The API's own sentence, with all violations, of which it quotes only the first, and the details that it points to. */
function explain(message: string, details: Details | undefined): string {
  const violations = details?.violations ?? []
  const text = violations.length > 1 ? violations.map(({ path, message }) => `${path} ${message}`).join('; ') : message
  return [text.replace(/\.$/, ''), ...pointedTo(message, details)].join('; ')
}

/** `status: completed`, when the sentence says "details.status says how". Details that are objects are left out. */
function pointedTo(message: string, details: Details | undefined): string[] {
  return [...new Set(message.match(/(?<=\bdetails\.)\w+/g))].flatMap((name) => {
    const value = details?.[name]
    const values = Array.isArray(value) ? value : [value]
    const isPlain = values.length > 0 && values.every((one) => ['string', 'number', 'boolean'].includes(typeof one))
    return isPlain ? [`${name.replaceAll('_', ' ')}: ${values.join(', ')}`] : []
  })
}

function isUnavailable(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE'
}

function reason(error: unknown): string {
  if (error instanceof TimeoutError) return 'no answer in time'
  const failed = error instanceof ConnectionError ? error.cause : error
  const { message, cause } = failed as Error & { cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? message
}

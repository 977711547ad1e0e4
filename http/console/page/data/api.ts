/** The requests of the console: the session, and the way for all others. No DOM. */

import type { ErrorBody } from '../records/fault.ts'
import type { AnyRecord } from '../records/record.ts'
import type { Session } from '../records/session.ts'
import type { Query } from './query.ts'

const PATIENCE_MS = 20_000
const UPLOAD_PATIENCE_MS = 300_000
/** Larger bodies may take as long as files, on a slow line. */
const LARGE_BODY = 100_000
/** Error code for a request without an answer from the server. */
const OFFLINE = 'OFFLINE'
/** Error code for a missing or ended session. */
export const UNAUTHORIZED = 'UNAUTHORIZED'

/** A request that was refused, or got no answer. `retry_after_s` only where the server said how long to wait. */
export class ApiError extends Error {
  readonly code: string
  readonly status: number
  readonly details: unknown | undefined
  readonly retry_after_s: number | undefined

  constructor(
    code: string,
    message: string,
    {
      status = 0,
      details,
      retry_after_s,
    }: { status?: number; details?: unknown; retry_after_s?: number | undefined } = {},
  ) {
    super(message)
    this.code = code
    this.status = status
    this.details = details
    this.retry_after_s = retry_after_s
  }
}

export class Api {
  /**
   * The user who is signed in on this page. Requests say so: somebody else may have signed in with the same browser, whose
   * cookie they would then have.
   */
  user_id: string | undefined
  /** Called when a request is answered with 401. */
  onUnauthorized = () => {}
  #base
  #fetch
  #sign_ins = 0

  /** `base` is the address of the console, with a slash at its end. */
  constructor(
    base: URL,
    fetch: (url: URL, options: RequestInit) => Promise<Response> = (...all) => globalThis.fetch(...all),
  ) {
    this.#base = base
    this.#fetch = fetch
  }

  session(): Promise<Session> {
    return this.request('GET', 'session')
  }

  async signIn(email: string, password: string) {
    this.user_id = undefined
    const session: Session = await this.request('POST', 'session', { json: { email, password } })
    this.#sign_ins++
    return session
  }

  signOut(): Promise<void> {
    return this.request('DELETE', 'session')
  }

  /** The address of a file. */
  address(path: string) {
    return new URL(path, this.#base).href
  }

  /**
   * A request of any kind. `path` is relative to `/console/`; values of the query that are empty are left out. `key` is
   * the idempotency key, `version` that of the record to change. `signal` gives the request up, also
   * when it takes too long.
   *
   * @throws ApiError
   */
  async request<Answer = AnyRecord>(
    method: string,
    path: string,
    {
      json,
      form,
      key,
      version,
      query = {},
      signal,
    }: {
      json?: object | undefined
      form?: FormData | undefined
      key?: string | undefined
      version?: number | undefined
      query?: Query | undefined
      signal?: AbortSignal | undefined
    } = {},
  ): Promise<Answer> {
    const url = new URL(path, this.#base)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null && value !== '') url.searchParams.set(name, String(value))
    }
    const headers: Record<string, string> = {
      ...(json && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
    }
    if (this.user_id !== undefined) headers['parley-user'] = this.user_id
    if (version !== undefined) headers['if-match'] = `"${version}"`
    const body = json ? JSON.stringify(json) : form
    const is_large = form !== undefined || (typeof body === 'string' && body.length > LARGE_BODY)
    const patience_ms = is_large ? UPLOAD_PATIENCE_MS : PATIENCE_MS
    const sign_ins = this.#sign_ins
    let response: Response
    let answer: string
    try {
      response = await this.#fetch(url, {
        method,
        headers,
        signal: signal ?? AbortSignal.timeout(patience_ms),
        ...(body && { body }),
      })
      answer = await response.text()
    } catch {
      throw new ApiError(OFFLINE, 'Parley cannot be reached. Check your connection and try again.')
    }
    if (response.ok) return answer === '' ? (undefined as Answer) : JSON.parse(answer)
    // A 401 for a request of an earlier session says nothing about this one.
    if (response.status === 401 && sign_ins === this.#sign_ins) this.onUnauthorized()
    throw refusal(response, answer)
  }
}

function refusal({ status, headers }: Response, text: string) {
  if (status === 401) return new ApiError(UNAUTHORIZED, 'Please sign in.', { status })
  const { code = 'UNKNOWN', message, details } = errorIn(text)
  const retry_after_s = Number(headers.get('retry-after')) || undefined
  const said = message ?? `Parley answered with ${status} and no reason. Try again in a moment.`
  return new ApiError(code, said, { status, details, retry_after_s })
}

function errorIn(text: string): Partial<ErrorBody['error']> {
  try {
    return JSON.parse(text).error ?? {}
  } catch {
    return {}
  }
}

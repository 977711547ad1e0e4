/** The requests of the console: the session, and the way for all others. No DOM. */

/** @typedef {import('../../page_types/session.ts').Session} Session */

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
  /**
   * @param {string} code
   * @param {string} message
   * @param {{ status?: number, details?: unknown, retry_after_s?: number | undefined }} [more]
   */
  constructor(code, message, { status = 0, details, retry_after_s } = {}) {
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
   *
   * @type {string | undefined}
   */
  user_id
  /** Called when a request is answered with 401. */
  onUnauthorized = () => {}
  #base
  #fetch
  #sign_ins = 0

  /**
   * `base` is the address of the console, with a slash at its end.
   *
   * @param {URL} base
   * @param {(url: URL, options: RequestInit) => Promise<Response>} [fetch]
   */
  constructor(base, fetch = (...all) => globalThis.fetch(...all)) {
    this.#base = base
    this.#fetch = fetch
  }

  /** @returns {Promise<Session>} */
  session() {
    return this.request('GET', 'session')
  }

  /**
   * @param {string} email
   * @param {string} password
   */
  async signIn(email, password) {
    this.user_id = undefined
    /** @type {Session} */
    const session = await this.request('POST', 'session', { json: { email, password } })
    this.#sign_ins++
    return session
  }

  /** @returns {Promise<void>} */
  signOut() {
    return this.request('DELETE', 'session')
  }

  /**
   * The address of a file.
   *
   * @param {string} path
   */
  address(path) {
    return new URL(path, this.#base).href
  }

  /**
   * A request of any kind. `path` is relative to `/console/`; values of the query that are empty are left out. `key` is
   * the idempotency key, `version` that of the record to change.
   *
   * @param {string} method
   * @param {string} path
   * @param {{
   *   json?: object | undefined
   *   form?: FormData | undefined
   *   key?: string | undefined
   *   version?: number | undefined
   *   query?: import('./project_api.js').Query | undefined
   * }} [more]
   * @returns {Promise<any>}
   * @throws {ApiError}
   */
  async request(method, path, { json, form, key, version, query = {} } = {}) {
    const url = new URL(path, this.#base)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null && value !== '') url.searchParams.set(name, String(value))
    }
    /** @type {Record<string, string>} */
    const headers = { ...(json && { 'content-type': 'application/json' }), ...(key && { 'idempotency-key': key }) }
    if (this.user_id !== undefined) headers['parley-user'] = this.user_id
    if (version !== undefined) headers['if-match'] = `"${version}"`
    const body = json ? JSON.stringify(json) : form
    const is_large = form !== undefined || (typeof body === 'string' && body.length > LARGE_BODY)
    const patience_ms = is_large ? UPLOAD_PATIENCE_MS : PATIENCE_MS
    const sign_ins = this.#sign_ins
    let response
    let answer
    try {
      response = await this.#fetch(url, {
        method,
        headers,
        signal: AbortSignal.timeout(patience_ms),
        ...(body && { body }),
      })
      answer = await response.text()
    } catch {
      throw new ApiError(OFFLINE, 'Parley cannot be reached. Check your connection and try again.')
    }
    if (response.ok) return answer === '' ? undefined : JSON.parse(answer)
    // A 401 for a request of an earlier session says nothing about this one.
    if (response.status === 401 && sign_ins === this.#sign_ins) this.onUnauthorized()
    throw refusal(response, answer)
  }
}

/**
 * @param {Response} response
 * @param {string} text
 */
function refusal({ status, headers }, text) {
  if (status === 401) return new ApiError(UNAUTHORIZED, 'Please sign in.', { status })
  const { code = 'UNKNOWN', message, details } = errorIn(text)
  const retry_after_s = Number(headers.get('retry-after')) || undefined
  const said = message ?? `Parley answered with ${status} and no reason. Try again in a moment.`
  return new ApiError(code, said, { status, details, retry_after_s })
}

/**
 * @param {string} text
 * @returns {Partial<import('../../page_types/fault.ts').ErrorBody['error']>}
 */
function errorIn(text) {
  try {
    return JSON.parse(text).error ?? {}
  } catch {
    return {}
  }
}

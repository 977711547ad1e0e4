/** The console's requests, one function each. No DOM. */

/** @typedef {import('../page_types/session.ts').Session} Session */
/** @typedef {import('../page_types/broadcast.ts').Broadcast} Broadcast */

const PATIENCE_MS = 20_000
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
    return this.#call('GET', 'session')
  }

  /**
   * @param {string} email
   * @param {string} password
   */
  async signIn(email, password) {
    /** @type {Session} */
    const session = await this.#call('POST', 'session', { email, password })
    this.#sign_ins++
    return session
  }

  /** @returns {Promise<void>} */
  signOut() {
    return this.#call('DELETE', 'session')
  }

  /**
   * A page of broadcasts. Empty filters are left out of the query.
   *
   * @param {string} project_id
   * @param {import('../page_types/broadcast.ts').BroadcastFilter & import('../page_types/broadcast.ts').PageQuery} query
   * @returns {Promise<import('../page_types/broadcast.ts').Page<Broadcast>>}
   */
  broadcasts(project_id, query) {
    return this.#call('GET', broadcastsPath(project_id), undefined, query)
  }

  /**
   * @param {string} project_id
   * @param {string} id
   * @returns {Promise<Broadcast>}
   */
  broadcast(project_id, id) {
    return this.#call('GET', broadcastsPath(project_id, id))
  }

  /**
   * @param {string} project_id
   * @param {string} id
   * @param {import('../page_types/broadcast.ts').RecipientQuery} query
   * @returns {Promise<import('../page_types/broadcast.ts').Page<import('../page_types/broadcast.ts').Recipient>>}
   */
  recipients(project_id, id, query) {
    return this.#call('GET', `${broadcastsPath(project_id, id)}/recipients`, undefined, query)
  }

  /**
   * Resolves to the broadcast as it is then.
   *
   * @param {string} project_id
   * @param {string} id
   * @returns {Promise<Broadcast>}
   */
  cancel(project_id, id) {
    return this.#call('POST', `${broadcastsPath(project_id, id)}/cancel`, {})
  }

  /**
   * The address of the file with all recipients.
   *
   * @param {string} project_id
   * @param {string} id
   */
  recipientsFile(project_id, id) {
    return new URL(`${broadcastsPath(project_id, id)}/recipients.csv`, this.#base).href
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [json]
   * @param {Record<string, string | number | null | undefined>} [query]
   */
  async #call(method, path, json, query = {}) {
    const url = new URL(path, this.#base)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null && value !== '') url.searchParams.set(name, String(value))
    }
    const body = json && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }
    const sign_ins = this.#sign_ins
    let response
    let answer
    try {
      response = await this.#fetch(url, { method, signal: AbortSignal.timeout(PATIENCE_MS), ...body })
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
 * @param {string} project_id
 * @param {string} [id]
 */
function broadcastsPath(project_id, id) {
  const list = `projects/${encodeURIComponent(project_id)}/messages/bulk`
  return id === undefined ? list : `${list}/${encodeURIComponent(id)}`
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
 * @returns {Partial<import('../page_types/fault.ts').ErrorBody['error']>}
 */
function errorIn(text) {
  try {
    return JSON.parse(text).error ?? {}
  } catch {
    return {}
  }
}

/**
 * The state of the console: the session, the place, its content, and the live connection. Views draw it and call its
 * methods; it does not know them. No DOM.
 */
import { UNAUTHORIZED } from './api.js'
import { BroadcastDetail } from './broadcast_detail.js'
import { BroadcastList } from './broadcast_list.js'
import { faultOf } from './errors.js'
import { Records } from './records.js'

/** @typedef {import('../page_types/session.ts').Session} Session */
/** @typedef {import('../page_types/place.ts').Place} Place */
/** @typedef {import('../page_types/live.ts').LiveListener} LiveListener */
/** @typedef {import('./live.js').Live} Live */

/** Polling interval without a live connection. */
const POLL_MS = 5_000
const START_AGAIN_MS = 3_000

export class Store {
  /**
   * Undefined until it is known, null without a session.
   *
   * @type {Session | null | undefined}
   */
  session = undefined
  /**
   * The reason why the session ended, for people.
   *
   * @type {string | null}
   */
  note = null
  /** The user has just signed in by the form, which took the focus with it. */
  came_in = false
  /**
   * The error that keeps the console from starting.
   *
   * @type {import('../page_types/fault.ts').Fault | null}
   */
  trouble = null
  /** @type {import('../page_types/live.ts').LiveState} */
  live_state = 'connecting'
  /** @type {Place} */
  place = { page: 'start' }
  /** @type {BroadcastList | null} */
  list = null
  /** @type {BroadcastDetail | null} */
  detail = null
  #api
  #connect
  /** @type {Live | undefined} */
  #live
  #records = new Records()
  /** @type {Set<() => void>} */
  #listeners = new Set()
  /** @type {number | undefined} */
  #timer
  #poll_ms

  /** @param {{ api: import('./api.js').Api, connect(on: LiveListener): Live, poll_ms?: number }} options */
  constructor({ api, connect, poll_ms = POLL_MS }) {
    this.#api = api
    this.#connect = connect
    this.#poll_ms = poll_ms
    api.onUnauthorized = () => this.#over()
  }

  /**
   * `listener` is called after each change. Returns the function that unsubscribes.
   *
   * @param {() => void} listener
   */
  subscribe(listener) {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get project() {
    return this.session?.projects.find(({ _id }) => _id === this.place.project_id)
  }

  /** Loads the session. Retries until there is an answer. */
  async start() {
    clearTimeout(this.#timer)
    try {
      this.#begin(await this.#api.session())
    } catch (thrown) {
      const error = faultOf(thrown)
      if (error.code === UNAUTHORIZED) {
        this.session = null
        this.trouble = null
      } else {
        this.trouble = error
        this.#timer = setTimeout(() => this.start(), START_AGAIN_MS)
      }
    }
    this.#changed()
  }

  /**
   * @param {string} email
   * @param {string} password
   * @throws {import('./api.js').ApiError} UNAUTHORIZED, SIGN_IN_THROTTLED, OFFLINE and other refusals
   */
  async signIn(email, password) {
    const session = await this.#api.signIn(email, password)
    this.came_in = true
    this.#begin(session)
    this.#changed()
  }

  /**
   * @throws {import('./api.js').ApiError} when the server did not get the request: the session is then still valid
   */
  async signOut() {
    await this.#api.signOut()
    this.#end(null)
  }

  /**
   * Goes to a place. Content that is already there stays.
   *
   * @param {Place} place
   */
  go(place) {
    this.place = place
    if (this.session) this.#show()
    this.#changed()
  }

  /** Retries the live connection at once. */
  hurry() {
    this.#live?.hurry()
  }

  close() {
    this.#end(null)
    clearTimeout(this.#timer)
    this.#listeners.clear()
  }

  /** @param {Session} session */
  #begin(session) {
    this.session = session
    this.note = null
    this.trouble = null
    this.live_state = 'connecting'
    this.#live = this.#connect({
      state: (state) => {
        this.live_state = state
        this.#changed()
      },
      events: (project_id, events) => this.#hear(project_id, events),
      read: (project_id) => {
        if (project_id === this.place.project_id) this.#read()
      },
      signedOut: () => this.#over(),
    })
    this.#show()
    clearTimeout(this.#timer)
    this.#timer = setInterval(() => this.#poll(), this.#poll_ms)
  }

  #over() {
    if (this.session) this.#end('Your session is over. Please sign in again.')
  }

  /** @param {string | null} note */
  #end(note) {
    this.session = null
    this.note = note
    this.#live?.close()
    this.#live = undefined
    this.detail?.close()
    this.list = null
    this.detail = null
    this.#records = new Records()
    clearInterval(this.#timer)
    this.#changed()
  }

  #show() {
    const { page, project_id, id, filter, recipients } = this.place
    const { session, project } = this
    const live = this.#live
    if (!session || !live) return
    for (const { _id } of session.projects) if (_id !== project_id) live.unwatch(_id)
    if (this.list?.project_id !== project_id) this.list = null
    if (this.detail && (page !== 'broadcast' || this.detail.id !== id || this.detail.project_id !== project_id)) {
      this.detail.close()
      this.detail = null
    }
    if (!project || project_id === undefined) return
    live.watch(project_id)
    const common = { api: this.#api, records: this.#records, project_id, changed: () => this.#changed() }
    if (page === 'broadcasts' && !isSame(this.list?.filter, filter)) {
      this.list = new BroadcastList({ ...common, filter })
      void this.list.read()
    }
    if (page === 'broadcast') {
      if (this.detail) void this.detail.recipients.show(recipients)
      else {
        this.detail = new BroadcastDetail({ ...common, id, recipients })
        void this.detail.read()
      }
    }
  }

  /**
   * @param {string} project_id
   * @param {import('../page_types/live.ts').ProjectEvent[]} events
   */
  #hear(project_id, events) {
    if (project_id !== this.place.project_id) return
    for (const { type, data } of events) {
      if (type !== 'broadcast.progress') continue
      const record = this.#records.keep(data)
      this.list?.hear(record)
      this.detail?.hear(record)
    }
    this.#changed()
  }

  #read() {
    void this.list?.read()
    void this.detail?.read()
  }

  #poll() {
    if (this.live_state !== 'live') this.#read()
    else {
      if (this.list?.is_stale) void this.list.read()
      if (this.detail?.is_stale) void this.detail.read()
    }
  }

  #changed() {
    for (const listener of this.#listeners) listener()
  }
}

/**
 * @param {unknown} one
 * @param {unknown} other
 */
function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other)
}

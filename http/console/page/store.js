/**
 * What the console knows: who is signed in, where they are, what is shown there, and how live it is. Views draw it and call
 * its functions; it knows nothing of them. No DOM.
 */
import { UNAUTHORIZED } from './api.js'
import { BroadcastDetail } from './broadcast_detail.js'
import { BroadcastList } from './broadcast_list.js'
import { Records } from './records.js'

/** Without a live connection things are read this often instead. */
const POLL_MS = 5_000
const START_AGAIN_MS = 3_000

export class Store {
  /** Undefined until it is known, null when nobody is signed in. */
  session = undefined
  /** Why nobody is signed in any more, for people. */
  note = null
  /** They have just come in by the form, whose focus is lost with it. */
  came_in = false
  /** What keeps the console from starting. */
  trouble = null
  live_state = 'connecting'
  place = { page: 'start' }
  list = null
  detail = null
  #api
  #connect
  #live
  #records = new Records()
  #listeners = new Set()
  #timer
  #poll_ms

  /** `connect(on)` makes a `Live`. */
  constructor({ api, connect, poll_ms = POLL_MS }) {
    this.#api = api
    this.#connect = connect
    this.#poll_ms = poll_ms
    api.onUnauthorized = () => this.#over()
  }

  /** `listener` is called after each change. Answers with what ends that. */
  subscribe(listener) {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get project() {
    return this.session?.projects.find(({ _id }) => _id === this.place.project_id)
  }

  /** Finds out who is signed in. Tries until there is an answer. */
  async start() {
    clearTimeout(this.#timer)
    try {
      this.#begin(await this.#api.session())
    } catch (error) {
      if (error.code === UNAUTHORIZED) Object.assign(this, { session: null, trouble: null })
      else {
        this.trouble = error
        this.#timer = setTimeout(() => this.start(), START_AGAIN_MS)
      }
    }
    this.#changed()
  }

  /** @throws {ApiError} UNAUTHORIZED, SIGN_IN_THROTTLED, OFFLINE and whatever else keeps one out */
  async signIn(email, password) {
    const session = await this.#api.signIn(email, password)
    this.came_in = true
    this.#begin(session)
    this.#changed()
  }

  /** @throws {ApiError} when the server did not hear of it: the session is still good then */
  async signOut() {
    await this.#api.signOut()
    this.#end(null)
  }

  /** Goes to a place (`placeOf`). What is there already stays as it is. */
  go(place) {
    this.place = place
    if (this.session) this.#show()
    this.#changed()
  }

  /** Tries to be live again at once. */
  hurry() {
    this.#live?.hurry()
  }

  close() {
    this.#end(null)
    clearTimeout(this.#timer)
    this.#listeners.clear()
  }

  #begin(session) {
    Object.assign(this, { session, note: null, trouble: null, live_state: 'connecting' })
    this.#live = this.#connect({
      state: (state) => {
        this.live_state = state
        this.#changed()
      },
      events: (project_id, events) => this.#hear(project_id, events),
      read: (project_id) => project_id === this.place.project_id && this.#read(),
      signedOut: () => this.#over(),
    })
    this.#show()
    clearTimeout(this.#timer)
    this.#timer = setInterval(() => this.#poll(), this.#poll_ms)
  }

  #over() {
    if (this.session) this.#end('Your session is over. Please sign in again.')
  }

  #end(note) {
    Object.assign(this, { session: null, note })
    this.#live?.close()
    this.#live = undefined
    this.detail?.close()
    Object.assign(this, { list: null, detail: null })
    this.#records = new Records()
    clearInterval(this.#timer)
    this.#changed()
  }

  #show() {
    const { page, project_id, id, filter, recipients } = this.place
    const project = this.project
    for (const { _id } of this.session.projects) if (_id !== project_id) this.#live.unwatch(_id)
    if (this.list?.project_id !== project_id) this.list = null
    if (this.detail && (page !== 'broadcast' || this.detail.id !== id || this.detail.project_id !== project_id)) {
      this.detail.close()
      this.detail = null
    }
    if (!project) return
    this.#live.watch(project_id)
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

function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other)
}

/**
 * The core of the console: the session, the place, the project that is open, and the live connection. Views read its
 * signals and call its methods; it does not know them. No DOM.
 */

import { computed, type Signal, signal } from '@preact/signals'
import { shownAt } from '../crm/inbox_places.ts'
import { type Api, UNAUTHORIZED } from '../data/api.ts'
import { faultOf } from '../data/errors.ts'
import type { Outboxes } from '../data/outbox/outboxes.ts'
import type { Place } from '../data/place.ts'
import { Project } from '../data/project.ts'
import type { Live } from '../live/live.ts'
import type { Fault } from '../records/fault.ts'
import type { LiveListener, LiveState } from '../records/live.ts'
import type { Session } from '../records/session.ts'

/** Polling interval without a live connection. */
const POLL_MS = 5_000
const START_AGAIN_MS = 3_000

export class Console {
  /** The name and id of the project of the place. */
  readonly named

  /** Undefined until it is known, null without a session. */
  session = signal<Session | null | undefined>(undefined)
  /** The reason why the session ended, for people. */
  note = signal<string | null>(null)
  /** The error that keeps the console from starting. */
  trouble = signal<Fault | null>(null)
  live_state = signal<LiveState>('connecting')
  place: Signal<Place> = signal({ section: 'start', path: [], query: {} })
  /** The project of the place, with its records; null without one. */
  project = signal<Project | null>(null)
  /** Unread tickets of the project that concern the agent. */
  unread = signal(0)
  /** The title of the view, for the browser's tab. The view sets it. */
  title = signal('')
  /** The messages that the agent has sent and the server does not have yet; null without a session, and until the first view is there. */
  outboxes = signal<Outboxes | null>(null)
  /** The e-mail address of the user whose session ended on this page. */
  email = ''
  /** The user has just signed in by the form, which took the focus with it. */
  came_in = false
  #api
  #connect
  #live: Live | undefined
  #timer: number | undefined
  #poll_ms

  /** `connect` opens the live connection of the user. */
  constructor({
    api,
    connect,
    poll_ms = POLL_MS,
  }: {
    api: Api
    connect(on: LiveListener, user_id: string): Live
    poll_ms?: number
  }) {
    this.#api = api
    this.#connect = connect
    this.#poll_ms = poll_ms
    this.named = computed(() => this.session.value?.projects.find(({ _id }) => _id === this.place.value.project_id))
    api.onUnauthorized = () => this.#over()
  }

  /** For requests that belong to no project. */
  get api() {
    return this.#api
  }

  /** The live connection of the session, undefined without one. */
  get live() {
    return this.#live
  }

  /** Loads the session. Retries until there is an answer. */
  async start() {
    clearTimeout(this.#timer)
    try {
      this.#begin(await this.#api.session())
    } catch (thrown) {
      const error = faultOf(thrown)
      if (error.code === UNAUTHORIZED) {
        this.session.value = null
        this.trouble.value = null
      } else {
        this.trouble.value = error
        this.#timer = setTimeout(() => this.start(), START_AGAIN_MS)
      }
    }
  }

  /** @throws ApiError UNAUTHORIZED, SIGN_IN_THROTTLED, OFFLINE and other refusals */
  async signIn(email: string, password: string) {
    const session = await this.#api.signIn(email, password)
    this.came_in = true
    this.#begin(session)
  }

  /** @throws ApiError when the server did not get the request: the session is then still valid */
  async signOut() {
    await this.#api.signOut()
    this.#end(null)
    this.email = ''
  }

  /** Goes to a place. The project stays open while the place is in it. */
  go(place: Place) {
    this.place.value = place
    if (this.session.value) this.#open()
  }

  /** Retries the live connection at once. */
  hurry() {
    this.#live?.hurry()
    this.outboxes.peek()?.hurry()
    void this.#loadOutboxes()
  }

  close() {
    this.#end(null)
    clearTimeout(this.#timer)
  }

  #begin(session: Session) {
    this.#api.user_id = session.user._id
    this.session.value = session
    this.email = session.user.email
    this.outboxes.peek()?.close()
    this.outboxes.value = null
    void this.#loadOutboxes()
    this.note.value = null
    this.trouble.value = null
    this.live_state.value = 'connecting'
    this.#live?.close()
    this.#live = this.#connect(
      {
        state: (state) => {
          this.live_state.value = state
        },
        events: (project_id, events) => this.#opened(project_id)?.hear(events),
        read: (project_id) => this.#opened(project_id)?.read(),
        presence: (presence) => this.#opened(presence.project_id)?.hearPresence(presence),
        lost: () => this.project.value?.lost(),
        signedOut: () => this.#over(),
      },
      session.user._id,
    )
    this.#open()
    clearTimeout(this.#timer)
    this.#timer = setInterval(() => this.#poll(), this.#poll_ms)
  }

  #over() {
    if (!this.session.value) return
    this.#end(`Your session is over. Please sign in again.${this.outboxes.peek()?.promise ?? ''}`)
  }

  #end(note: string | null) {
    this.#live?.close()
    this.#live = undefined
    this.project.value?.close()
    this.project.value = null
    this.outboxes.peek()?.close()
    this.outboxes.value = null
    this.#api.user_id = undefined
    this.session.value = null
    this.note.value = note
    this.title.value = ''
    clearInterval(this.#timer)
  }

  #open() {
    const live = this.#live
    const session = this.session.value
    const named = this.named.value
    const open = this.project.value
    if (!session || !live || open?.id === named?._id) return
    if (open) {
      live.unwatch(open.id)
      open.close()
    }
    this.project.value = named
      ? new Project({
          api: this.#api,
          live,
          id: named._id,
          name: named.name,
          user: session.user,
          openOutboxes: (Outboxes) => this.#openOutboxes(Outboxes),
          view: shownAt(this.place.peek()),
        })
      : null
    if (named) live.watch(named._id)
  }

  async #loadOutboxes() {
    // This sends the messages that a former page has left. Without an answer the next one to need it asks again.
    const { Outboxes } = await import('../data/outbox/outboxes.ts').catch(() => ({ Outboxes: undefined }))
    if (Outboxes && this.session.peek()) this.#openOutboxes(Outboxes)
  }

  #openOutboxes(Class: typeof Outboxes) {
    const outboxes = this.outboxes.peek() ?? new Class({ api: this.#api, user_id: this.#api.user_id ?? '' })
    this.outboxes.value = outboxes
    return outboxes
  }

  #opened(project_id: string) {
    const project = this.project.value
    return project?.id === project_id ? project : undefined
  }

  #poll() {
    this.project.value?.poll(this.live_state.value === 'live')
  }
}

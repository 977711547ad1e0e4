/**
 * Live events of projects, over one connection that is kept up. No DOM.
 *
 * The position of the last event is kept for each watched project. After an interruption the client sends it, and first
 * gets the events since. When they are gone, `on.read` asks for everything to be read anew. It is also called after the
 * first watch of a project: a reading from then on misses nothing.
 */

import type { io as connect, ManagerOptions, Socket, SocketOptions } from 'socket.io-client'
import type { Asked, LiveListener, LiveState, News, ServerEvents } from '../records/live.ts'

/**
 * A project that is watched. `position` is that of the last event that was heard, undefined before the first answer.
 */
type Watch = { position: string | undefined; is_live: boolean; attempts: number }

const ANSWER_MS = 10_000
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 5_000

export class Live {
  state: LiveState = 'connecting'
  #socket
  #on
  #watches = new Map<string, Watch>()
  #timers = new Set<number>()

  /** `io` is socket.io's function, `url` its path on the server. `options` go to socket.io. */
  constructor(io: typeof connect, url: URL, on: LiveListener, options: Partial<ManagerOptions & SocketOptions> = {}) {
    this.#on = on
    const socket: Socket<ServerEvents, Asked> = io(url.origin, {
      path: url.pathname,
      transports: ['websocket'],
      forceNew: true,
      reconnectionDelay: FIRST_WAIT_MS,
      reconnectionDelayMax: MAX_WAIT_MS,
      timeout: ANSWER_MS,
      ...options,
    })
    this.#socket = socket
    socket.on('connect', () => this.#connected())
    socket.on('disconnect', (reason) => this.#lost(reason))
    socket.on('connect_error', (error) => this.#turnedAway(error))
    socket.on('live', (news) => this.#hear(news))
    socket.on('resync', ({ project_id }) => this.#watches.has(project_id) && this.#on.read(project_id))
    socket.on('presence', (presence) => this.#watches.has(presence.project_id) && this.#on.presence(presence))
    socket.on('notice', (notice) => this.#on.events(notice.project_id, [notice]))
    socket.on('signed_out', () => this.#signedOut())
  }

  watch(project_id: string) {
    if (this.#watches.has(project_id)) return
    const watch: Watch = { position: undefined, is_live: false, attempts: 0 }
    this.#watches.set(project_id, watch)
    if (this.#socket.connected) this.#ask(project_id, watch)
    this.#tell()
  }

  unwatch(project_id: string) {
    if (!this.#watches.delete(project_id)) return
    if (this.#socket.connected) this.#socket.emit('unwatch', { project_id })
    this.#tell()
  }

  /**
   * Says what the agent does with a ticket. Resolves to false when nobody got to know: it is refused, for one, before the
   * answer to the watch of its project.
   */
  present(said: Parameters<Asked['presence']>[0]): Promise<boolean> {
    if (!this.#socket.connected || !this.#watches.get(said.project_id)?.is_live) return Promise.resolve(false)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#socket
      .timeout(ANSWER_MS)
      .emit('presence', said, (failure, answer) => resolve(failure === null && answer.error === undefined))
    return promise
  }

  /** Retries at once: the machine woke up, or has a network again. */
  hurry() {
    if (this.#socket.connected || this.#hasEnded) return
    this.#socket.disconnect()
    this.#socket.connect()
  }

  close() {
    this.#end('closed')
  }

  get #hasEnded() {
    return this.state === 'closed' || this.state === 'signed_out' || this.state === 'refused'
  }

  #connected() {
    for (const [project_id, watch] of this.#watches) this.#ask(project_id, watch)
    this.#tell()
  }

  #ask(project_id: string, watch: Watch) {
    const is_first = watch.position === undefined
    const question = is_first ? { project_id } : { project_id, after: watch.position }
    this.#socket.timeout(ANSWER_MS).emit('watch', question, (failure, answer) => {
      if (this.#watches.get(project_id) !== watch || !this.#socket.connected) return
      if (failure || answer.error) return this.#askAgain(project_id, watch)
      watch.position = answer.position
      watch.is_live = true
      watch.attempts = 0
      this.#tell()
      if (is_first || answer.resync) this.#on.read(project_id)
    })
  }

  #askAgain(project_id: string, watch: Watch) {
    this.#later(watch.attempts++, () => {
      if (this.#watches.get(project_id) === watch && this.#socket.connected && !watch.is_live)
        this.#ask(project_id, watch)
    })
  }

  #hear({ project_id, position, events }: News) {
    const watch = this.#watches.get(project_id)
    if (!watch) return
    watch.position = position
    this.#on.events(project_id, events)
  }

  #lost(reason: string) {
    for (const watch of this.#watches.values()) watch.is_live = false
    this.#tell()
    this.#on.lost()
    // Socket.IO reconnects by itself, except after the server disconnected it.
    if (reason === 'io server disconnect') this.#later(0, () => this.hurry())
  }

  #turnedAway({ message }: Error) {
    if (message === 'UNAUTHORIZED') return this.#signedOut()
    if (message === 'ORIGIN_NOT_ALLOWED') return this.#end('refused')
    this.#set('reconnecting')
    if (!this.#socket.active) this.#later(3, () => this.hurry())
  }

  #signedOut() {
    if (this.#hasEnded) return
    this.#end('signed_out')
    this.#on.signedOut()
  }

  #end(state: LiveState) {
    if (this.#hasEnded) return
    this.#set(state)
    for (const timer of this.#timers) clearTimeout(timer)
    this.#socket.disconnect()
  }

  #tell() {
    if (this.#hasEnded) return
    const is_live = this.#socket.connected && [...this.#watches.values()].every((watch) => watch.is_live)
    if (is_live) this.#set('live')
    else if (this.state === 'live') this.#set(this.#socket.connected ? 'connecting' : 'reconnecting')
  }

  #set(state: LiveState) {
    if (this.state === state) return
    this.state = state
    this.#on.state(state)
  }

  #later(attempts: number, act: () => void) {
    const wait = Math.min(FIRST_WAIT_MS * 2 ** attempts, MAX_WAIT_MS) * (0.5 + Math.random())
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      act()
    }, wait)
    this.#timers.add(timer)
  }
}

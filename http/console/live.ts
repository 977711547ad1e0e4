/**
 * Live events for consoles: socket.io on the port of the API, at `/console/socket.io`, with a session.
 *
 * A page sends `watch { project_id, after? }` and gets `{ position, resync }`. Then it gets `live { project_id,
 * position, events }` for each commit, or `resync { project_id }` when it should read again. `unwatch { project_id }`
 * ends it. `signed_out` is sent before the socket of an ended session is closed.
 *
 *  C1 A change that commits after the answer to `watch` is followed by `live` or `resync`.
 *  C2 A page that comes back gives its last position as `after`, and first gets the events since; `resync: true` means
 *  that they cannot be known.
 *  C3 An ended session has no socket: on all nodes at once when it is ended, within `CHECKED_MS` in any case.
 */
import type * as uWS from 'uWebSockets.js'
import type { Bus, EventBatch, LiveFeeds, Log } from '../../runtime/mod.ts'
import { type Database, findSession, isObjectId, liveSessions } from '../../storage/mod.ts'
import { sessionHash } from '../server/auth/cookie.ts'
import { isOwnPage } from '../server/auth/page_call.ts'
import { SESSION_OVER } from '../server/auth/session_over.ts'
import { ReadLimiter } from '../server/read_limiter.ts'
import {
  admitting,
  type ClientSocket,
  openSockets,
  type SocketAddresses,
  type SocketServer,
} from '../server/sockets.ts'
import { TokenBucket } from '../server/token_bucket.ts'
import { ProjectWatchers } from './project_watchers.ts'

export type ConsoleOptions = SocketAddresses & {
  app: uWS.TemplatedApp
  live: LiveFeeds
  bus: Bus
  database: Database
  /** Undefined where plain HTTP is allowed. */
  isSecure?: ((response: uWS.HttpResponse, request: uWS.HttpRequest) => boolean) | undefined
  log: Log
}

const PATH = '/console/socket.io'
/** Maximum bytes of one message of a page. */
const MESSAGE_BYTES = 4096
/** Missed events are sent at once, so this many unread bytes are allowed. */
const UNREAD_BYTES = 1024 * 1024
const MOST_SOCKETS = 10_000
const MOST_WATCHED = 20
const MOST_READS = 2
const CHECKED_MS = 30_000
/** Rate limit of one socket: a burst, and one more request each half second. */
const ASKS = { most: 40, every_ms: 500 }

type Data = { hash: string; watched: Set<string>; asks: TokenBucket }
type ConsoleSocket = ClientSocket<Data>
type Reply = (answer: object) => void

const refused = (code: string, message: string) => ({ error: { code, message } })
const NOT_FOUND = refused('NOT_FOUND', 'There is no such project.')
const MALFORMED = refused('VALIDATION_ERROR', 'Ask with { project_id, after? }, both strings.')
const TOO_FAST = refused('THROTTLED', 'Too much was asked at once. Ask again in a second.')
const TOO_MANY = refused('VALIDATION_ERROR', `One socket watches ${MOST_WATCHED} projects at most.`)
const UNAVAILABLE = refused('SERVICE_UNAVAILABLE', 'This cannot be done right now. Ask again in a moment.')

export class ConsoleServer {
  readonly #io: SocketServer<Data>
  readonly #database: Database
  readonly #read_limiter = new ReadLimiter(MOST_READS)
  readonly #project_watchers: ProjectWatchers
  readonly #log: Log
  readonly #checker: NodeJS.Timeout
  readonly #listening: Promise<() => void>

  /** Attaches itself to the app, which must not listen yet. */
  constructor({ app, live, bus, database, limits, clientAddress, isSecure, log }: ConsoleOptions) {
    this.#database = database
    this.#log = log
    this.#project_watchers = new ProjectWatchers(live, {
      received: (project_id, batch) => this.#emit(project_id, 'live', { project_id, ...batch }),
      missed: (project_id) => this.#emit(project_id, 'resync', { project_id }),
    })
    this.#io = openSockets({
      app,
      path: PATH,
      message_bytes: MESSAGE_BYTES,
      unread_bytes: UNREAD_BYTES,
      most_sockets: MOST_SOCKETS,
      limits,
      clientAddress,
      counted: { rate: 'console_connection', place: 'console_socket' },
      refuse: (retry_after_s) => ({ message: 'THROTTLED', data: { retry_after_s } }),
      isSecure,
    })
    this.#io.use(
      admitting((socket) =>
        this.#admit(socket).then(
          (code) => (code === undefined ? undefined : new Error(code)),
          (error) => {
            log.warn({ error: (error as Error).message }, 'admitting a console failed')
            return new Error('SERVICE_UNAVAILABLE')
          },
        ),
      ),
    )
    this.#io.on('connection', (socket) => this.#welcome(socket))
    this.#listening = bus.listen(
      SESSION_OVER,
      (hash) => this.#end((socket) => socket.data.hash === hash),
      () => void this.#check(),
    )
    this.#checker = setInterval(() => void this.#check(), CHECKED_MS)
    this.#checker.unref()
  }

  /** Disconnects all pages; they come back to another node. */
  async close(): Promise<void> {
    clearInterval(this.#checker)
    void this.#listening.then((stop) => stop())
    this.#io.disconnectSockets(true)
    await this.#io.close()
  }

  /** Undefined when the socket is admitted, else the reason. */
  async #admit(socket: ConsoleSocket): Promise<string | undefined> {
    const { headers } = socket.handshake
    // Browsers send cookies with sockets opened by any page.
    if (!isOwnPage((name) => headers[name]?.toString())) return 'ORIGIN_NOT_ALLOWED'
    const hash = sessionHash(headers.cookie)
    if (hash === undefined || !(await this.#session(hash, null))) return 'UNAUTHORIZED'
    socket.data = { hash, watched: new Set(), asks: new TokenBucket(ASKS.most, ASKS.every_ms) }
    return undefined
  }

  #session(hash: string, project_id: string | null) {
    return this.#read_limiter.run(() => findSession(this.#database, { hash, project_id }))
  }

  #welcome(socket: ConsoleSocket): void {
    socket.on('watch', (question: unknown, reply: unknown) => {
      if (typeof reply !== 'function') return
      this.#watch(socket, question, reply as Reply).catch((error) => {
        this.#log.warn({ error: (error as Error).message }, 'a subscription of a console failed')
        ;(reply as Reply)(UNAVAILABLE)
      })
    })
    socket.on('unwatch', (question: unknown) => {
      const { project_id } = (question ?? {}) as Record<string, unknown>
      if (typeof project_id === 'string') this.#leave(socket, project_id)
    })
    socket.on('disconnect', () => {
      for (const project_id of [...socket.data.watched]) this.#leave(socket, project_id)
    })
  }

  async #watch(socket: ConsoleSocket, question: unknown, reply: Reply): Promise<void> {
    const { project_id, after } = (question ?? {}) as Record<string, unknown>
    const { hash, watched, asks } = socket.data
    if (!asks.take()) return reply(TOO_FAST)
    if (typeof project_id !== 'string' || (after !== undefined && typeof after !== 'string')) return reply(MALFORMED)
    if (!isObjectId(project_id)) return reply(NOT_FOUND)
    const session = await this.#session(hash, project_id)
    if (!session) return this.#end((one) => one.data.hash === hash)
    // From here on `disconnect` gives back all taken places.
    if (socket.disconnected) return
    if (session.project_id === null) return reply(NOT_FOUND)
    const is_new = !watched.has(project_id)
    if (is_new && watched.size >= MOST_WATCHED) return reply(TOO_MANY)
    watched.add(project_id)
    try {
      await this.#project_watchers.resume(project_id, is_new, after, (position, missed) => {
        if (!watched.has(project_id)) return
        void socket.join(project_id)
        for (const batch of missed ?? []) socket.emit('live', { project_id, ...batch })
        reply({ position, resync: after !== undefined && missed === undefined })
      })
    } catch (error) {
      if (is_new) watched.delete(project_id)
      throw error
    }
  }

  #leave(socket: ConsoleSocket, project_id: string): void {
    if (!socket.data.watched.delete(project_id)) return
    void socket.leave(project_id)
    this.#project_watchers.leave(project_id)
  }

  /**
   * Encodes the event once. The exception, which matches no socket, keeps it from the adapter's way over the topics of
   * the app opened last.
   */
  #emit(project_id: string, name: string, body: (EventBatch & { project_id: string }) | { project_id: string }): void {
    this.#io.to(project_id).except(NOBODY).emit(name, body)
  }

  async #check(): Promise<void> {
    const hashes = new Set([...this.#io.sockets.sockets.values()].map(({ data }) => data.hash))
    if (hashes.size === 0) return
    try {
      const live = await this.#read_limiter.run(() => liveSessions(this.#database, [...hashes]))
      this.#end(({ data }) => hashes.has(data.hash) && !live.has(data.hash))
    } catch (error) {
      this.#log.warn({ error: (error as Error).message }, 'checking the sessions of consoles failed')
    }
  }

  #end(isMeant: (socket: ConsoleSocket) => boolean): void {
    for (const socket of this.#io.sockets.sockets.values()) {
      if (!isMeant(socket)) continue
      socket.emit('signed_out')
      socket.disconnect(true)
    }
  }
}

const NOBODY = 'nobody'

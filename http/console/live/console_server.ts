/**
 * Live events for consoles: socket.io on the port of the API, at `/console/socket.io`, with a session.
 * `docs/console_live.md` describes the events in both directions. One file, because all of it is the life of one socket.
 *
 *  C1 A change that commits after the answer to `watch` is followed by `live` or `resync`.
 *  C2 A page that comes back gives its last position as `after`, and first gets the events since; `resync: true` means
 *  that they cannot be known.
 *  C3 An ended session has no socket: on all nodes at once when it is ended, within `CHECKED_MS` in any case. A session
 *  with a socket is in use.
 */
import type * as uWS from 'uWebSockets.js'
import { type Bus, type LiveFeeds, type Log, Unavailable } from '../../../runtime/mod.ts'
import { type Database, findSession, isObjectId, liveSessions, renewSessions } from '../../../storage/mod.ts'
import { sessionHash } from '../../server/auth/cookie.ts'
import { isOwnPage } from '../../server/auth/page_call.ts'
import { SESSION_OVER } from '../../server/auth/session_over.ts'
import { ReadLimiter } from '../../server/limits/read_limiter.ts'
import type { TlsRules } from '../../server/reply/strict_transport.ts'
import {
  admitting,
  type ClientSocket,
  openSockets,
  type SocketAddresses,
  type SocketServer,
} from '../../server/sockets/sockets.ts'
import { TokenBucket } from '../../server/sockets/token_bucket.ts'
import { CustomerNews } from './customer_news.ts'
import { EndedSessions } from './ended_sessions.ts'
import { FanOut } from './fan_out.ts'
import { EventRefused, isPageEvent, type PageEventName, type PageEvents, readEvent, refusalOf } from './page_events.ts'
import { Presences } from './presences.ts'
import { ProjectWatchers } from './project_watchers.ts'
import { invalidEvent, notFound, throttled, tooFast } from './refusals.ts'
import { placesOf, SocketPlaces } from './socket_places.ts'
import { TypingNews } from './typing_news.ts'
import { WebVisitors } from './web_visitors.ts'

export type ConsoleOptions = TlsRules &
  SocketAddresses & {
    /** The id of this node. */
    node: string
    app: uWS.TemplatedApp
    live: LiveFeeds
    bus: Bus
    database: Database
    log: Log
  }

const PATH = '/console/socket.io'
/** Maximum bytes of one message of a page. */
const MESSAGE_BYTES = 4096
/** Missed events are sent at once, so this many unread bytes are allowed. */
const UNREAD_BYTES = 1024 * 1024
const MAX_SOCKETS = 10_000
const MAX_WATCHED = 20
/** Look-ups of sessions that wait together; two queries run at a time. */
const MAX_READS = 1000
const CHECKED_MS = 30_000
/** Rate limits of one socket: a burst, and one more event each so many milliseconds. */
const ASKS = { most: 40, every_ms: 500 }
const PRESENCES = { most: 60, every_ms: 200 }

type Data = {
  hash: string
  user_id: string
  full_name: string
  watched: Set<string>
  asks: TokenBucket
  presences: TokenBucket
}
type ConsoleSocket = ClientSocket<Data>
type Reply = (answer: object) => void

export class ConsoleServer {
  readonly #io: SocketServer<Data>
  readonly #database: Database
  readonly #read_limiter = new ReadLimiter(MAX_READS)
  readonly #places = new SocketPlaces()
  readonly #ended = new EndedSessions()
  readonly #fan_out: FanOut
  readonly #presences: Presences
  readonly #project_watchers: ProjectWatchers
  readonly #typing_news: TypingNews
  readonly #web_visitors: WebVisitors
  readonly #customer_news: CustomerNews
  readonly #log: Log
  readonly #checker: NodeJS.Timeout
  readonly #listening: Promise<() => void>

  /** Attaches itself to the app, which must not listen yet. */
  constructor({ node, app, live, bus, database, log, ...rules }: ConsoleOptions) {
    this.#database = database
    this.#log = log
    this.#fan_out = new FanOut(app)
    this.#presences = new Presences(node, bus, this.#fan_out)
    this.#typing_news = new TypingNews(bus, this.#fan_out)
    this.#web_visitors = new WebVisitors({
      ...{ bus, database, log },
      read_limiter: this.#read_limiter,
      fan_out: this.#fan_out,
    })
    this.#customer_news = new CustomerNews(bus, this.#fan_out)
    this.#project_watchers = new ProjectWatchers(live, {
      received: (project_id, batch) => {
        this.#fan_out.tellEvents(project_id, batch)
        this.#web_visitors.received(project_id, batch)
      },
      missed: (project_id) => this.#fan_out.tell(project_id, 'resync', { project_id }),
    })
    this.#io = openSockets({
      app,
      path: PATH,
      message_bytes: MESSAGE_BYTES,
      unread_bytes: UNREAD_BYTES,
      max_sockets: MAX_SOCKETS,
      ...rules,
      counted: { rate: 'console_connection', place: 'console_socket' },
      refuse: (retry_after_s) => ({ message: 'THROTTLED', data: { retry_after_s } }),
    })
    this.#io.use(
      admitting((socket) =>
        this.#admit(socket).catch((error) => {
          log.warn({ error: (error as Error).message }, 'admitting a console failed')
          return new Error('SERVICE_UNAVAILABLE')
        }),
      ),
    )
    this.#io.on('connection', (socket) => this.#welcome(socket))
    this.#listening = bus.listen(
      SESSION_OVER,
      (hash) => this.#sessionOver(hash),
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
    this.#presences.close()
    this.#web_visitors.close()
    this.#typing_news.close()
    this.#customer_news.close()
    await this.#io.close()
  }

  /** Undefined when the socket is admitted, else the reason. */
  async #admit(socket: ConsoleSocket): Promise<Error | undefined> {
    const { headers, auth } = socket.handshake
    // Browsers send cookies with sockets opened by any page.
    if (!isOwnPage((name) => headers[name]?.toString())) return new Error('ORIGIN_NOT_ALLOWED')
    const hash = sessionHash(headers.cookie)
    const session = hash === undefined ? undefined : await this.#session(hash, null)
    if (!session) return new Error('UNAUTHORIZED')
    const { user_id, user_name: full_name } = session
    // Somebody else may have signed in with the browser of this page.
    if (auth.user_id !== undefined && auth.user_id !== user_id) return new Error('UNAUTHORIZED')
    if (!this.#places.has(...placesOf(session))) return throttled()
    const limits = { asks: bucket(ASKS), presences: bucket(PRESENCES) }
    socket.data = { hash: session.hash, user_id, full_name, watched: new Set(), ...limits }
    return undefined
  }

  #session(hash: string, project_id: string | null) {
    return this.#read_limiter.run(() => findSession(this.#database, { hash, project_id }))
  }

  #welcome(socket: ConsoleSocket): void {
    const { hash, watched } = socket.data
    const places = placesOf(socket.data)
    // Others may have taken the last place since the admission, and the session may have ended.
    if (this.#ended.has(hash)) signOut(socket)
    if (socket.disconnected || !this.#places.take(...places)) {
      socket.disconnect(true)
      return
    }
    socket.on('disconnect', () => {
      this.#places.give(...places)
      for (const project_id of [...watched]) this.#leave(socket, project_id)
    })
    socket.onAny((name: string, ...said: unknown[]) => {
      const last = said.at(-1)
      const reply = typeof last === 'function' ? (last as Reply) : () => {}
      this.#hear(socket, name, typeof said[0] === 'function' ? undefined : said[0], reply).catch((error) => {
        if (!(error instanceof EventRefused || error instanceof Unavailable))
          this.#log.warn({ event: name, error: (error as Error).message }, 'an event of a console failed')
        reply(refusalOf(error))
      })
    })
  }

  /** Rejects when the event is refused; then it was not answered. */
  async #hear(socket: ConsoleSocket, name: string, said: unknown, reply: Reply): Promise<void> {
    const { asks, presences } = socket.data
    if (!(name === 'presence' ? presences : asks).take()) throw tooFast()
    if (!isPageEvent(name)) throw invalidEvent(`There is no event ${JSON.stringify(name.slice(0, 40))}.`)
    const handlers: { [Name in PageEventName]: (said: PageEvents[Name]) => void | Promise<void> } = {
      watch: (said) => this.#watch(socket, said, reply),
      unwatch: ({ project_id }) => {
        this.#leave(socket, project_id)
        reply({})
      },
      presence: (said) => {
        this.#present(socket, said)
        reply({})
      },
    }
    await handlers[name](readEvent(name, said) as never)
  }

  async #watch(socket: ConsoleSocket, { project_id, after }: PageEvents['watch'], reply: Reply): Promise<void> {
    const { hash, watched } = socket.data
    if (!isObjectId(project_id)) throw notFound()
    const session = await this.#session(hash, project_id)
    if (!session) this.#end((one) => one.data.hash === hash)
    // From here on `disconnect` gives back all taken places.
    if (!session || socket.disconnected) throw new Unavailable('The page has gone.')
    if (session.project_id === null) throw notFound()
    const is_new = !watched.has(project_id)
    if (is_new) this.#enter(watched, project_id)
    try {
      await this.#project_watchers.resume(project_id, is_new, after, (position, missed) => {
        if (!watched.has(project_id)) return
        this.#fan_out.join(socket, project_id)
        this.#typing_news.watch(project_id)
        this.#customer_news.watch(project_id, session.company_id)
        const is_caught_up = missed !== undefined && this.#fan_out.catchUp(socket, project_id, missed)
        // At once, or a later event would reach the page before this position.
        reply({ position, resync: after !== undefined && !is_caught_up })
        for (const [ticket_id, users] of this.#presences.of(project_id).all()) {
          this.#fan_out.tellOne(socket, 'presence', { project_id, ticket_id, users })
        }
      })
    } catch (error) {
      if (is_new && watched.delete(project_id)) {
        this.#places.give(['project', project_id])
        // The page may have said meanwhile where its agent is.
        this.#presences.leave(socket, project_id)
      }
      throw error
    }
  }

  #enter(watched: Set<string>, project_id: string): void {
    if (watched.size >= MAX_WATCHED) throw invalidEvent(`One socket watches ${MAX_WATCHED} projects at most.`)
    if (!this.#places.take(['project', project_id]))
      throw new EventRefused({ code: 'SERVICE_UNAVAILABLE', message: 'Too many pages watch this project here.' })
    watched.add(project_id)
  }

  #present(socket: ConsoleSocket, { project_id, ticket_id, state }: PageEvents['presence']): void {
    if (!socket.data.watched.has(project_id)) throw notFound()
    this.#web_visitors.replies(socket.id, socket.data.user_id, { project_id, ticket_id }, state)
    if (!this.#presences.of(project_id).set(socket.id, socket.data, ticket_id, state))
      throw new EventRefused({ code: 'THROTTLED', message: 'Agents are at too many tickets of the project.' })
  }

  #leave(socket: ConsoleSocket, project_id: string): void {
    if (!socket.data.watched.delete(project_id)) return
    this.#places.give(['project', project_id])
    this.#fan_out.leave(socket, project_id)
    this.#web_visitors.leave(socket.id, project_id)
    this.#typing_news.leave(project_id)
    this.#customer_news.leave(project_id)
    this.#presences.leave(socket, project_id)
    this.#project_watchers.leave(project_id)
  }

  async #check(): Promise<void> {
    const hashes = new Set([...this.#io.sockets.sockets.values()].map(({ data }) => data.hash))
    if (hashes.size === 0) return
    try {
      const live = await this.#read_limiter.run(() => liveSessions(this.#database, [...hashes]))
      this.#end(({ data }) => hashes.has(data.hash) && !live.has(data.hash))
      await this.#read_limiter.run(() => renewSessions(this.#database, [...live]))
    } catch (error) {
      this.#log.warn({ error: (error as Error).message }, 'checking the sessions of consoles failed')
    }
  }

  #sessionOver(hash: string): void {
    this.#ended.add(hash)
    this.#end((socket) => socket.data.hash === hash)
  }

  #end(isMeant: (socket: ConsoleSocket) => boolean): void {
    for (const socket of this.#io.sockets.sockets.values()) if (isMeant(socket)) signOut(socket)
  }
}

function bucket({ most, every_ms }: { most: number; every_ms: number }): TokenBucket {
  return new TokenBucket(most, every_ms)
}

function signOut(socket: ConsoleSocket): void {
  socket.emit('signed_out')
  socket.disconnect(true)
}

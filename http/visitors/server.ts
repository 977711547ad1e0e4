/**
 * The chat server for visitors of web pages: socket.io on the port of the API.
 *
 * A page connects with `auth: { channel_id, visitor_token? }` and gets `welcome { visitor_token, name }`; a token that
 * it keeps makes it the same person after a reload. Then it sends requests, each of which is answered: `history`,
 * `say`, `seen`. It gets `message` for each message of its conversation, and `sync` when it should read the history
 * again. When its channel is disabled, deleted or has a new secret, it gets `closed` before it is disconnected.
 */

import type * as uWS from 'uWebSockets.js'
import { newVisitor, readVisitorToken, type VisitorNote } from '../../actors/mod.ts'
import type { Bus, Log, Runtime } from '../../runtime/mod.ts'
import type { Database } from '../../storage/mod.ts'
import { ConcurrencyLimiter } from '../server/concurrency_limiter.ts'
import { ReadLimiter } from '../server/read_limiter.ts'
import {
  addressOf,
  admitting,
  type ClientSocket,
  openSockets,
  type SocketAddresses,
  type SocketServer,
} from '../server/sockets.ts'
import { isOriginAllowed, type WebChannel, WebChannels } from './channels.ts'
import { tellVisitor, VisitorHub } from './hub.ts'
import { channelClosed, type Refusal, Refused, refusalOf, tooMuchFrom } from './refused.ts'
import { VisitorSession, type VisitorSessions } from './visitor_session.ts'

export type VisitorOptions = SocketAddresses & {
  app: uWS.TemplatedApp
  runtime: Runtime
  bus: Bus
  database: Database
  /** Public address of the API. */
  base_url: string
  /** Undefined where plain HTTP is allowed. */
  isSecure?: ((response: uWS.HttpResponse, request: uWS.HttpRequest) => boolean) | undefined
  log: Log
}

const PATH = '/visitor/socket.io'
/** Maximum bytes of one message of a page; a text of 4096 characters with its envelope has less. */
const MESSAGE_BYTES = 32_768
/** Room for a few answers; anyone may open sockets and read nothing. */
const UNREAD_BYTES = 256 * 1024
const MOST_SOCKETS = 20_000
const MOST_READS = 4
const MOST_CALLS = 2_048
/** Maximum time that pages of a disabled channel stay connected. */
const CHECKED_MS = 5_000
/** Channels read in one query. */
const CHECKED_AT_ONCE = 500

type Data = { visit: VisitorSession; visitor_token: string }
type VisitorSocket = ClientSocket<Data>
type Reply = (answer: object) => void

export class VisitorServer {
  readonly #io: SocketServer<Data>
  readonly #visits: VisitorSessions
  readonly #hub: VisitorHub<VisitorSocket>
  readonly #log: Log
  readonly #checker: NodeJS.Timeout
  #is_checking = false

  /** Attaches itself to the app, which must not listen yet. */
  constructor({ app, runtime, bus, database, base_url, limits, clientAddress, isSecure, log }: VisitorOptions) {
    const read_limiter = new ReadLimiter(MOST_READS)
    const hub = new VisitorHub<VisitorSocket>(bus, (socket, note) => socket.data.visit.show(note))
    const channels = new WebChannels(database, read_limiter)
    this.#visits = {
      runtime,
      database,
      read_limiter,
      channels,
      tell: (note: VisitorNote) => tellVisitor(bus, note),
      limiter: new ConcurrencyLimiter(MOST_CALLS),
      limits,
      base_url,
    }
    this.#hub = hub
    this.#log = log
    this.#io = openSockets({
      app,
      path: PATH,
      message_bytes: MESSAGE_BYTES,
      unread_bytes: UNREAD_BYTES,
      most_sockets: MOST_SOCKETS,
      limits,
      clientAddress,
      counted: { rate: 'connection', place: 'visitor_socket' },
      refuse: (retry_after_s) => {
        const refusal = refusalOf(tooMuchFrom({ retry_after_s }))
        return { message: refusal.code, data: refusal }
      },
      isSecure,
    })
    this.#io.use(
      admitting((socket) =>
        this.#admit(socket).then(
          () => undefined,
          (error) => {
            const refusal = this.#refusal(error)
            return Object.assign(new Error(refusal.code), { data: refusal })
          },
        ),
      ),
    )
    this.#io.on('connection', (socket) => this.#welcome(socket))
    this.#checker = setInterval(() => void this.#check(), CHECKED_MS)
    this.#checker.unref()
  }

  /** Disconnects all pages; they come back to another node. */
  async close(): Promise<void> {
    clearInterval(this.#checker)
    this.#io.disconnectSockets(true)
    await this.#io.close()
  }

  async #admit(socket: VisitorSocket): Promise<void> {
    const { auth, headers } = socket.handshake
    const { channel_id, visitor_token } = auth as Record<string, unknown>
    const channel = typeof channel_id === 'string' ? await this.#visits.channels.find(channel_id) : undefined
    if (!channel) throw new Refused('CHANNEL_NOT_FOUND', 'There is no such web channel.')
    if (!isOriginAllowed(channel, headers.origin, headers.host ?? ''))
      throw new Refused('ORIGIN_NOT_ALLOWED', 'The chat is not meant for this page.')
    if (!channel.is_open) throw channelClosed()
    const address = addressOf(socket)
    const gone = () => socket.disconnect(true)
    if (visitor_token === undefined || visitor_token === null) {
      const { user_id, visitor_token } = newVisitor(channel._id, channel.visitor_secret)
      socket.data = { visit: new VisitorSession(this.#visits, channel, user_id, address, gone), visitor_token }
      return
    }
    const token = typeof visitor_token === 'string' ? visitor_token : ''
    const user_id = readVisitorToken(token, channel._id, channel.visitor_secret)
    if (user_id === undefined) throw new Refused('TOKEN_INVALID', 'Come in again without a token.')
    socket.data = { visit: new VisitorSession(this.#visits, channel, user_id, address, gone), visitor_token: token }
  }

  #welcome(socket: VisitorSocket): void {
    const { visit, visitor_token } = socket.data
    const { channel, user_id } = visit
    const asks = { history: visit.history, say: visit.say, seen: visit.seen }
    for (const [name, ask] of Object.entries(asks)) {
      socket.on(name, (question: unknown, reply: unknown) => {
        if (typeof reply !== 'function') return
        ask.call(visit, question).then(reply as Reply, (error) => (reply as Reply)({ error: this.#refusal(error) }))
      })
    }
    socket.on('disconnect', () => this.#hub.leave(channel._id, user_id, socket))
    this.#hub.join(channel._id, user_id, socket).then(
      () => socket.emit('welcome', { visitor_token, name: channel.name }),
      () => socket.disconnect(true),
    )
  }

  /** Disconnects pages whose channel is no longer valid for them. */
  async #check(): Promise<void> {
    if (this.#is_checking) return
    this.#is_checking = true
    try {
      const ids = this.#hub.channel_ids
      for (let from = 0; from < ids.length; from += CHECKED_AT_ONCE) {
        const some = ids.slice(from, from + CHECKED_AT_ONCE)
        const channels = await this.#visits.channels.readAnew(some)
        for (const id of some) this.#close(id, channels.get(id))
      }
    } catch (error) {
      this.#log.warn({ error: (error as Error).message }, 'checking the channels of visitors failed')
    } finally {
      this.#is_checking = false
    }
  }

  /** `now`: the channel's present state. Pages that joined under another secret, or elsewhere, have to join anew. */
  #close(channel_id: string, now: WebChannel | undefined): void {
    for (const socket of this.#hub.pagesOf(channel_id)) {
      const { visitor_secret, project_id } = socket.data.visit.channel
      if (now?.is_open && now.visitor_secret === visitor_secret && now.project_id === project_id) continue
      if (now && !now.is_open) socket.emit('closed', refusalOf(channelClosed()))
      socket.disconnect(true)
    }
  }

  #refusal(error: unknown): Refusal {
    const refusal = refusalOf(error)
    if (refusal.code === 'SERVICE_UNAVAILABLE')
      this.#log.warn({ error: (error as Error).message }, 'a request of a visitor failed')
    return refusal
  }
}

/**
 * The chat server for visitors of web pages: socket.io on the port of the API.
 *
 * A page connects with `auth: { channel_id, visitor_token? }` and gets `welcome { visitor_token, name }`; a token that
 * it keeps makes it the same person after a reload. Then it sends requests, each of which is answered: `history`,
 * `say`, `seen`, `upload`, `identify`, `logout`, `email`. It gets `message` for each message of its conversation, and `sync` when it should read the history
 * again. `browser` says on which page the visitor is; `typing` goes both ways, `agent` names the person who answers, `read` says until when the visitor's messages
 * were read. When its channel is disabled, deleted or has a new secret, it gets `closed` before it is disconnected. One file: the
 * life of a connection, from its door to its end.
 */

import type * as uWS from 'uWebSockets.js'
import {
  newVisitorId,
  newVisitorToken,
  readVisitorToken,
  tellVisitor,
  tellVisitorTyping,
  type VisitorNote,
} from '../../actors/mod.ts'
import type { Bus, Log, Runtime } from '../../runtime/mod.ts'
import {
  type BlobStore,
  type Database,
  endedVisitorSessions,
  findVisitorSession,
  newDate,
  UNSTORED_S,
} from '../../storage/mod.ts'
import type { FileRoom } from '../media/file_room.ts'
import { ConcurrencyLimiter } from '../server/limits/concurrency_limiter.ts'
import { Shares } from '../server/limits/fair_shares.ts'
import { ReadLimiter } from '../server/limits/read_limiter.ts'
import type { TlsRules } from '../server/reply/strict_transport.ts'
import {
  addressOf,
  admitting,
  type ClientSocket,
  openSockets,
  type SocketAddresses,
  type SocketServer,
} from '../server/sockets/sockets.ts'
import { Availabilities } from './availability.ts'
import { isOriginAllowed, type WebChannel, WebChannels } from './channels.ts'
import { VisitorHub } from './hub.ts'
import {
  channelClosed,
  type Refusal,
  Refused,
  refusalOf,
  sessionEnded,
  tooManyVisitors,
  tooMuchFrom,
} from './refused.ts'
import { VisitorUploads } from './uploads.ts'
import { type VisitorIdentified, VisitorSession, type VisitorSessions } from './visitor_session.ts'

export type VisitorOptions = TlsRules &
  SocketAddresses & {
    app: uWS.TemplatedApp
    runtime: Runtime
    bus: Bus
    database: Database
    /** Public address of the API. */
    base_url: string
    log: Log
    /** The store of files, and the directory of uploads under way. */
    blobs: BlobStore
    room: FileRoom
    uploads_directory: string
    /** Maximum open pages; half of them for one company. */
    max_visitors: number
  }

const PATH = '/visitor/socket.io'
/** Maximum bytes of one message of a page; a text of 4096 characters with its envelope has less. */
const MESSAGE_BYTES = 32_768
/** Room for a few answers; anyone may open sockets and read nothing. */
const UNREAD_BYTES = 256 * 1024
const MAX_READS = 4
const MAX_CALLS = 2_048
/** Maximum time that pages of a disabled channel, or of an erased visitor, stay connected. */
const CHECKED_MS = 5_000
/** Channels or sessions read in one query. */
const CHECKED_AT_ONCE = 500

type Data = { visit: VisitorSession }
type VisitorSocket = ClientSocket<Data>
type Reply = (answer: object) => void

export class VisitorServer {
  readonly #io: SocketServer<Data>
  readonly #visits: VisitorSessions
  readonly #hub: VisitorHub<VisitorSocket>
  readonly #log: Log
  readonly #availabilities: Availabilities
  readonly #max_of_company: number
  readonly #places: Shares<'company'>
  readonly #checker: NodeJS.Timeout
  #is_checking = false

  /** Attaches itself to the app, which must not listen yet. */
  constructor(options: VisitorOptions) {
    const { app, runtime, bus, database, base_url, limits, connections, clientAddress, log, max_visitors } = options
    const { isSecure, strict_transport } = options
    const read_limiter = new ReadLimiter(MAX_READS)
    const hub = new VisitorHub<VisitorSocket>(bus, {
      heard: (socket, note) => this.#show(socket, note),
      ended: (socket, hash) => {
        if (socket.data.visit.hash === hash) leave(socket, sessionEnded())
      },
    })
    const channels = new WebChannels(database, read_limiter)
    const { blobs, room, uploads_directory: directory } = options
    const sockets = { app, limits, connections, clientAddress, isSecure, strict_transport }
    this.#visits = {
      runtime,
      database,
      read_limiter,
      channels,
      uploads: new VisitorUploads({ ...sockets, database, blobs, room, directory, channels, log }),
      tell: (sign) => tellVisitor(bus, sign),
      tellTyping: (typing) => tellVisitorTyping(bus, typing),
      limiter: new ConcurrencyLimiter(MAX_CALLS),
      limits,
      base_url,
    }
    this.#hub = hub
    this.#availabilities = new Availabilities(database, read_limiter)
    this.#log = log
    this.#max_of_company = Math.ceil(max_visitors / 2)
    this.#places = new Shares({ all: max_visitors, kinds: { company: this.#max_of_company } })
    this.#io = openSockets({
      ...sockets,
      path: PATH,
      message_bytes: MESSAGE_BYTES,
      unread_bytes: UNREAD_BYTES,
      max_sockets: max_visitors,
      counted: { rate: 'connection', place: 'visitor_socket' },
      refuse: (retry_after_s) => {
        const refusal = refusalOf(tooMuchFrom({ retry_after_s }))
        return { message: refusal.code, data: refusal }
      },
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
    if (this.#places.heldBy('company', { company: channel.company_id }) >= this.#max_of_company) throw tooManyVisitors()
    const visit = await this.#session(channel, visitor_token)
    const gone = () => socket.disconnect(true)
    const client = { address: addressOf(socket), user_agent: headers['user-agent'] }
    socket.data = { visit: new VisitorSession(this.#visits, channel, visit, client, gone) }
  }

  /** @throws {Refused} TOKEN_INVALID */
  async #session({ _id, project_id, visitor_secret }: WebChannel, input: unknown): Promise<VisitorIdentified> {
    if (input === undefined || input === null)
      return { token: newVisitorToken(_id, visitor_secret, newVisitorId(), newDate()) }
    const token = typeof input === 'string' ? readVisitorToken(input, _id, visitor_secret) : undefined
    if (!token) throw sessionEnded()
    const { database, read_limiter } = this.#visits
    const found = await read_limiter.run(() => findVisitorSession(database, token.hash), project_id)
    // The signature names the visitor. Where nothing was said yet there is no row.
    const is_live = found ? found.is_live : token.made_s + UNSTORED_S > newDate().getTime() / 1000
    if (!is_live) throw sessionEnded()
    return { token, person: found?.person }
  }

  #welcome(socket: VisitorSocket): void {
    const { visit } = socket.data
    const { channel, user_id } = visit
    const place = { company: channel.company_id }
    // Others may have taken the last place since the admission.
    if (!this.#places.take(place, 1)) {
      leave(socket, tooManyVisitors())
      return
    }
    const { history, say, seen, upload, identify, logout, email } = visit
    const asks = { history, say, seen, upload, identify, logout, email }
    for (const [name, ask] of Object.entries(asks)) {
      // The reply is the last argument: a question may be missing.
      socket.on(name, (...said: unknown[]) => {
        const reply = said.pop()
        if (typeof reply !== 'function') return
        ask.call(visit, said[0]).then(reply as Reply, (error) => (reply as Reply)({ error: this.#refusal(error) }))
      })
    }
    socket.on('typing', (value: unknown) => void visit.typing(value).catch((error) => this.#refusal(error)))
    socket.on('browser', (value: unknown) => visit.browser(value))
    socket.on('disconnect', () => {
      this.#places.give(place, 1)
      this.#hub.leave(channel._id, user_id, socket)
    })
    this.#hub.join(channel._id, user_id, socket).then(
      () => this.#greet(socket),
      () => socket.disconnect(true),
    )
  }

  /** The availability follows when it is known: nobody waits for it. */
  #greet(socket: VisitorSocket): void {
    const { channel, visitor_token } = socket.data.visit
    socket.emit('welcome', { visitor_token, name: channel.name })
    this.#availabilities.of(channel).then(
      (availability) => socket.emit('availability', availability),
      (error) => this.#log.warn({ error: (error as Error).message }, 'the availability of a web chat was not read'),
    )
  }

  /** A page gets a message: the person who answers may be another one now. */
  #show(socket: VisitorSocket, note: VisitorNote): void {
    const { visit } = socket.data
    visit.show(note)
    if (note.message.direction === 'inbound') return
    visit.agent().then(
      (agent) => agent === undefined || socket.emit('agent', agent),
      // The next reading of the history says it.
      () => {},
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
      await this.#checkSessions()
    } catch (error) {
      this.#log.warn({ error: (error as Error).message }, 'checking the channels and sessions of visitors failed')
    } finally {
      this.#is_checking = false
    }
  }

  /** Disconnects pages whose session has ended without a sign: an erasure gives none, and a sign may be lost. */
  async #checkSessions(): Promise<void> {
    const { database, read_limiter } = this.#visits
    const pages = this.#hub.channel_ids.flatMap((id) => this.#hub.pagesOf(id))
    const sockets = pages.filter(({ data }) => !data.visit.is_identifying)
    for (let from = 0; from < sockets.length; from += CHECKED_AT_ONCE) {
      const some = sockets.slice(from, from + CHECKED_AT_ONCE)
      const hashes = some.map(({ data }) => data.visit.hash)
      const ended = await read_limiter.run(() => endedVisitorSessions(database, hashes))
      for (const socket of some) if (ended.has(socket.data.visit.hash)) leave(socket, sessionEnded())
    }
  }

  /** `now`: the channel's present state. Pages that joined under another secret, or elsewhere, have to join anew. */
  #close(channel_id: string, now: WebChannel | undefined): void {
    for (const socket of this.#hub.pagesOf(channel_id)) {
      const { visitor_secret, project_id } = socket.data.visit.channel
      if (now?.is_open && now.visitor_secret === visitor_secret && now.project_id === project_id) continue
      if (now && !now.is_open) leave(socket, channelClosed())
      else socket.disconnect(true)
    }
  }

  #refusal(error: unknown): Refusal {
    const refusal = refusalOf(error)
    if (refusal.code === 'SERVICE_UNAVAILABLE')
      this.#log.warn({ error: (error as Error).message }, 'a request of a visitor failed')
    return refusal
  }
}

/** The page learns the reason before it is disconnected. */
function leave(socket: VisitorSocket, reason: Refused): void {
  socket.emit('closed', refusalOf(reason))
  socket.disconnect(true)
}

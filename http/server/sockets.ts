/**
 * socket.io on the port of the API. Websockets only: they need no balancer that remembers a node, and no CORS.
 *
 *  S1 engine.io sees a request only when it is an upgrade that this node and its address have room for, and a packet only
 *     when it has the form of one of our pages' (`socket_guard.ts`). All else ends the connection, unread.
 *  S2 A connection asks once for one socket: what it asks for at once would be many that count as one.
 *  S3 A place that a connection takes of its address is given back once, when it ends or never opened.
 */
import type * as uWS from 'uWebSockets.js'
import { type DefaultEventsMap, Server, type Socket } from 'socket.io'
import type { AddressLimits, AddressPlace, AddressRate } from './address_limits.ts'
import { SocketGuard } from './socket_guard.ts'
import { turningAway } from './wire.ts'

type SocketEvents = DefaultEventsMap
export type SocketServer<Data> = Server<SocketEvents, SocketEvents, SocketEvents, Data>
export type ClientSocket<Data> = Socket<SocketEvents, SocketEvents, SocketEvents, Data>

/** Where sockets come from, and how many from one address. */
export type SocketAddresses = {
  limits: AddressLimits
  clientAddress: (response: uWS.HttpResponse, request: uWS.HttpRequest) => string
}

export type SocketRules = SocketAddresses & {
  /** It must not listen yet. */
  app: uWS.TemplatedApp
  path: string
  /** Of one message of a page. */
  message_bytes: number
  /** Of what one page has not read yet. Beyond it the page is sent away. */
  unread_bytes: number
  most_sockets: number
  /** As what a connection counts for its address: when it begins, and while it lasts. */
  counted: { rate: AddressRate; place: AddressPlace }
  /** The `connect_error` for pages from an address that has no room. */
  refuse: (retry_after_s: number) => { message: string; data?: object }
  /** Missing where plain HTTP is allowed. */
  isSecure: ((response: uWS.HttpResponse, request: uWS.HttpRequest) => boolean) | undefined
}

type Behavior = uWS.WebSocketBehavior<UserData>
/** The data of a websocket: engine.io's and ours. One that was refused knows nothing of engine.io. */
type UserData = { guard?: SocketGuard; refused?: object }
type GuardedRequest = uWS.HttpRequest & { guard?: SocketGuard }

export function openSockets<Data>(rules: SocketRules): SocketServer<Data> {
  const { app, path, message_bytes } = rules
  const io: SocketServer<Data> = new Server<SocketEvents, SocketEvents, SocketEvents, Data>({
    path,
    serveClient: false,
    transports: ['websocket'],
    maxHttpBufferSize: message_bytes,
    connectTimeout: 10_000,
  })
  io.attachApp(guarded(app, rules, () => io.engine.clientsCount))
  return io
}

/** Where a socket comes from, as its address is counted. */
export function addressOf(socket: ClientSocket<unknown>): string {
  return (socket.request as unknown as GuardedRequest).guard!.address
}

/** Middleware that asks `admit` who may come in: undefined, or why not. */
export function admitting<Data>(admit: (socket: ClientSocket<Data>) => Promise<Error | undefined>) {
  return (socket: ClientSocket<Data>, next: (refusal?: Error) => void) => {
    admit(socket).then(next, next)
  }
}

/**
 * The app as engine.io needs it. A page that reads too slowly is sent away, and comes back with where it stands; otherwise
 * messages would be left out for it without a word.
 */
function guarded(
  app: uWS.TemplatedApp,
  rules: SocketRules,
  count: () => number,
): Pick<uWS.TemplatedApp, 'any' | 'ws' | 'publish'> {
  return {
    any(pattern) {
      app.any(
        pattern,
        turningAway((response) => end(response, '400 Bad Request', 'use a websocket')),
      )
      return this as uWS.TemplatedApp
    },
    ws(pattern, behavior) {
      const guarded = guardedBehavior(behavior as unknown as Behavior, rules, count)
      app.ws(pattern, { ...guarded, upgrade: turningAway(guarded.upgrade!) })
      return this as uWS.TemplatedApp
    },
    publish: (...message) => app.publish(...message),
  }
}

function guardedBehavior(behavior: Behavior, rules: SocketRules, count: () => number): Behavior {
  const { limits, clientAddress, counted, unread_bytes, most_sockets, isSecure, refuse } = rules
  return {
    ...behavior,
    maxBackpressure: unread_bytes,
    closeOnBackpressureLimit: true,

    upgrade(response, request, context) {
      if (isSecure && !isSecure(response, request)) return end(response, '403 Forbidden', 'use TLS')
      if (request.getQuery('EIO') !== '4' || request.getQuery('transport') !== 'websocket' || request.getQuery('sid'))
        return end(response, '400 Bad Request', 'use a websocket')
      if (count() >= most_sockets) return end(response, '503 Service Unavailable', 'there are too many connections')
      const address = clientAddress(response, request)
      const refusal = limits.take(address, counted.rate) ?? limits.enter(address, counted.place)
      if (refusal) return openRefused(response, request, context, refuse(refusal.retry_after_s))
      const guard = new SocketGuard(address, limits)
      ;(request as GuardedRequest).guard = guard
      const upgrade = response.upgrade
      let opened = false
      response.upgrade = (data, ...rest) => {
        opened = true
        return upgrade.call(response, { ...data, guard }, ...rest)
      }
      behavior.upgrade!(response, request, context)
      // engine.io decides without waiting for anything.
      setImmediate(() => opened || limits.leave(address, counted.place))
    },

    open(ws) {
      const { refused } = ws.getUserData()
      if (refused === undefined) return behavior.open!(ws)
      ws.cork(() => {
        ws.send(NEVER_OPENED)
        ws.send(`44${JSON.stringify(refused)}`)
        ws.end(1013)
      })
    },

    message(ws, packet, is_binary) {
      const { guard } = ws.getUserData()
      if (guard === undefined) return
      const refusal = guard.refusal(packet, is_binary)
      if (refusal === undefined) return behavior.message!(ws, packet, is_binary)
      // Packets it has sent already are not looked at any more.
      ws.end(refusal)
    },

    ping: endAtMany,
    pong: endAtMany,

    close(ws, code, reason) {
      const { guard } = ws.getUserData()
      if (guard === undefined) return
      limits.leave(guard.address, counted.place)
      behavior.close!(ws, code, reason)
    },
  }
}

function endAtMany(ws: uWS.WebSocket<UserData>): void {
  if (ws.getUserData().guard?.takeSign() === false) ws.end(1008)
}

/** Engine.IO's greeting: only after it clients hear that they are refused. */
const NEVER_OPENED = `0${JSON.stringify({ sid: 'refused', upgrades: [], pingInterval: 25_000, pingTimeout: 20_000, maxPayload: 1 })}`

/** Browsers tell pages nothing of a refused upgrade, so the websocket is opened, told why, and closed. */
function openRefused(
  response: uWS.HttpResponse,
  request: uWS.HttpRequest,
  context: uWS.us_socket_context_t,
  refused: object,
): void {
  response.upgrade(
    { refused } satisfies UserData,
    request.getHeader('sec-websocket-key'),
    request.getHeader('sec-websocket-protocol'),
    request.getHeader('sec-websocket-extensions'),
    context,
  )
}

/** Answers, and closes: whatever else was sent on the connection is not read. */
function end(response: uWS.HttpResponse, status: string, message: string): void {
  response.cork(() => {
    response.writeStatus(status).writeHeader('Content-Type', 'application/json').end(JSON.stringify({ message }), true)
  })
}

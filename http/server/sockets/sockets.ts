/**
 * socket.io on the port of the API. Websockets only: they need no sticky balancer, and no CORS.
 *
 *  S1 engine.io sees a request only when it is an upgrade that this node and its address have room for, and a packet
 *  only when it has the form of our pages' packets (`socket_guard.ts`). All others end the connection, unread.
 *  S2 A connection asks once for one socket: several requests at once would be many sockets that count as one.
 *  S3 A place that a connection takes of its address is given back once, when it ends or never opened.
 */
import type * as uWS from 'uWebSockets.js'
import { type DefaultEventsMap, Server, type Socket } from 'socket.io'
import type { AddressLimits, AddressPlace, AddressRate } from '../limits/address_limits.ts'
import type { OpenConnections } from '../limits/open_connections.ts'
import { strictTransport, type TlsRules } from '../reply/strict_transport.ts'
import { turningAway } from '../reply/wire.ts'
import { SocketGuard } from './socket_guard.ts'

type SocketEvents = DefaultEventsMap
export type SocketServer<Data> = Server<SocketEvents, SocketEvents, SocketEvents, Data>
export type ClientSocket<Data> = Socket<SocketEvents, SocketEvents, SocketEvents, Data>

/** Finds the address of a socket, and limits sockets by address. */
export type SocketAddresses = {
  limits: AddressLimits
  /** Told when a websocket closes: the library reports only the end of other connections. */
  connections: OpenConnections
  clientAddress: (response: uWS.HttpResponse, request: uWS.HttpRequest) => string
}

export type SocketRules = SocketAddresses &
  TlsRules & {
    /** Must not listen yet. */
    app: uWS.TemplatedApp
    path: string
    /** Maximum bytes of one message of a page. */
    message_bytes: number
    /** Maximum bytes that one page has not read yet. Beyond it the page is disconnected. */
    unread_bytes: number
    max_sockets: number
    /** Kinds under which a connection counts for its address: when it begins, and while it lasts. */
    counted: { rate: AddressRate; place: AddressPlace }
    /** The `connect_error` for pages from an address that has no room. */
    refuse: (retry_after_s: number) => { message: string; data?: object }
  }

type Behavior = uWS.WebSocketBehavior<UserData>
/** The data of a websocket: engine.io's and ours. A refused websocket is unknown to engine.io. */
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

/** The address under which a socket is counted. */
export function addressOf(socket: ClientSocket<unknown>): string {
  return (socket.request as unknown as GuardedRequest).guard!.address
}

/** Middleware that asks `admit` for each socket: undefined admits it, an error refuses it. */
export function admitting<Data>(admit: (socket: ClientSocket<Data>) => Promise<Error | undefined>) {
  return (socket: ClientSocket<Data>, next: (refusal?: Error) => void) => {
    admit(socket).then(next, next)
  }
}

/**
 * Wraps the app for engine.io. A page that reads too slowly is disconnected, and comes back with its position;
 * otherwise its messages would be dropped silently.
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
        turningAway((response, request) =>
          end(response, '400 Bad Request', 'use a websocket', strictTransport(rules, response, request)),
        ),
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
  const { limits, connections, clientAddress, counted, unread_bytes, max_sockets, isSecure, refuse } = rules
  return {
    ...behavior,
    maxBackpressure: unread_bytes,
    closeOnBackpressureLimit: true,

    upgrade(response, request, context) {
      if (isSecure && !isSecure(response, request)) return end(response, '403 Forbidden', 'use TLS')
      const header = strictTransport(rules, response, request)
      if (request.getQuery('EIO') !== '4' || request.getQuery('transport') !== 'websocket' || request.getQuery('sid'))
        return end(response, '400 Bad Request', 'use a websocket', header)
      if (count() >= max_sockets)
        return end(response, '503 Service Unavailable', 'there are too many connections', header)
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
      // engine.io decides synchronously.
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
      // Its packets that are already here are not processed any more.
      ws.end(refusal)
    },

    ping: endAtMany,
    pong: endAtMany,

    close(ws, code, reason) {
      connections.leave()
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

/** Engine.IO's greeting: clients accept a refusal only after it. */
const NEVER_OPENED = `0${JSON.stringify({ sid: 'refused', upgrades: [], pingInterval: 25_000, pingTimeout: 20_000, maxPayload: 1 })}`

/** Browsers hide the reason of a refused upgrade from pages, so the websocket is opened, sent the error, and closed. */
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

/** Answers, and closes: further bytes on the connection are not read. */
function end(response: uWS.HttpResponse, status: string, message: string, header?: readonly [string, string]): void {
  response.cork(() => {
    response.writeStatus(status).writeHeader('Content-Type', 'application/json')
    if (header) response.writeHeader(...header)
    response.end(JSON.stringify({ message }), true)
  })
}

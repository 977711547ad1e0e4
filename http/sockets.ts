/**
 * socket.io on the port of the API. Websockets only: they need no balancer that remembers a node, and no CORS.
 */
import type * as uWS from 'uWebSockets.js'
import { type DefaultEventsMap, Server, type Socket } from 'socket.io'

type SocketEvents = DefaultEventsMap
export type SocketServer<Data> = Server<SocketEvents, SocketEvents, SocketEvents, Data>
export type ClientSocket<Data> = Socket<SocketEvents, SocketEvents, SocketEvents, Data>

export type SocketRules = {
  /** It must not listen yet. */
  app: uWS.TemplatedApp
  path: string
  /** Of one message of a page. */
  message_bytes: number
  /** Of what one page has not read yet. Beyond it the page is sent away. */
  unread_bytes: number
  most_sockets: number
  /** Missing where plain HTTP is allowed. */
  isSecure: ((response: uWS.HttpResponse, request: uWS.HttpRequest) => boolean) | undefined
}

/** What engine.io makes of a request of uWebSockets.js. */
type UpgradeRequest = uWS.HttpRequest & { res: uWS.HttpResponse; headers: Record<string, string> }

export function openSockets<Data>(rules: SocketRules): SocketServer<Data> {
  const { app, path, message_bytes, unread_bytes, most_sockets, isSecure } = rules
  const io: SocketServer<Data> = new Server<SocketEvents, SocketEvents, SocketEvents, Data>({
    path,
    serveClient: false,
    transports: ['websocket'],
    maxHttpBufferSize: message_bytes,
    connectTimeout: 10_000,
    allowRequest: (request, decide) => {
      const { headers, res } = request as unknown as UpgradeRequest
      if (headers.upgrade?.toLowerCase() !== 'websocket') decide('use a websocket', false)
      else if (isSecure && !isSecure(res, request as unknown as uWS.HttpRequest)) decide('use TLS', false)
      else decide(null, io.engine.clientsCount < most_sockets)
    },
  })
  io.attachApp(withLimit(app, unread_bytes))
  return io
}

/**
 * Middleware that asks `admit` who may come in: undefined, or why not. A connection asks for one socket at a time; what it
 * has asked for at once would be many sockets that count as one.
 */
export function admitting<Data>(admit: (socket: ClientSocket<Data>) => Promise<Error | undefined>) {
  const entering = new WeakSet<object>()
  return (socket: ClientSocket<Data>, next: (refusal?: Error) => void) => {
    const { conn } = socket
    if (entering.has(conn)) return next(new Error('ENTERING'))
    entering.add(conn)
    admit(socket)
      .then(next, next)
      // When the socket is in, if it may be: then it is known that the connection has one.
      .finally(() => setImmediate(() => entering.delete(conn)))
  }
}

/**
 * The app as engine.io needs it. A page that reads too slowly is sent away, and comes back with where it stands; otherwise
 * messages would be left out for it without a word.
 */
function withLimit(app: uWS.TemplatedApp, maxBackpressure: number): Pick<uWS.TemplatedApp, 'any' | 'ws' | 'publish'> {
  const limit = { maxBackpressure, closeOnBackpressureLimit: true }
  return {
    any(pattern, handler) {
      app.any(pattern, handler)
      return this as uWS.TemplatedApp
    },
    ws(pattern, behavior) {
      app.ws(pattern, { ...behavior, ...limit })
      return this as uWS.TemplatedApp
    },
    publish: (...message) => app.publish(...message),
  }
}

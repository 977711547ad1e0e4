/**
 * Servers for the rules of Engine.IO 4 and Socket.IO 5. They answer as the public test suites of both protocols expect:
 * `auth` repeats the handshake, `message` comes back as `message-back`, `message-with-ack` in the acknowledgement.
 */
import * as uWS from 'uWebSockets.js'
import { Server } from 'socket.io'
import { AddressLimits } from '../../http/server/limits/address_limits.ts'
import { OpenConnections } from '../../http/server/limits/open_connections.ts'
import { openSockets } from '../../http/server/sockets/sockets.ts'
import type { Owner } from '../support/mod.ts'

export const PING_INTERVAL_MS = 200
/** Longer than a busy machine delays an answer. */
export const PING_TIMEOUT_MS = 1500
export const MESSAGE_BYTES = 1_000_000

type Served = Pick<Server, 'of' | 'close'>

/** The library over uWebSockets.js with all transports, binary packets and another namespace, `/custom`. */
export function serveLibrary(t: Owner): Promise<string> {
  const app = uWS.App()
  const pings = { pingInterval: PING_INTERVAL_MS, pingTimeout: PING_TIMEOUT_MS }
  const io = new Server({ maxHttpBufferSize: MESSAGE_BYTES, serveClient: false, ...pings })
  io.attachApp(app)
  answer(io, '/custom')
  return listen(t, app, io)
}

/** The sockets of this product, as the console and the web chat use them. */
export function serveProduct(t: Owner): Promise<string> {
  const app = uWS.App()
  const io = openSockets<unknown>({
    app,
    path: '/socket.io',
    message_bytes: MESSAGE_BYTES,
    unread_bytes: MESSAGE_BYTES,
    max_sockets: 1000,
    limits: new AddressLimits({ people: 100 }),
    connections: new OpenConnections(),
    clientAddress: () => '192.0.2.1',
    counted: { rate: 'console_connection', place: 'console_socket' },
    refuse: () => ({ message: 'THROTTLED' }),
    isSecure: undefined,
  })
  const { opts } = io.engine as unknown as { opts: object }
  Object.assign(opts, { pingInterval: PING_INTERVAL_MS, pingTimeout: PING_TIMEOUT_MS })
  return listen(t, app, io as unknown as Server)
}

function answer(io: Served, namespace: string): void {
  io.of(namespace).on('connection', (socket) => {
    socket.emit('auth', socket.handshake.auth)
    socket.on('message', (...said: unknown[]) => socket.emit('message-back', ...said))
    socket.on('message-with-ack', (...said: unknown[]) => {
      const acknowledge = said.pop() as (...said: unknown[]) => void
      acknowledge(...said)
    })
  })
}

async function listen(t: Owner, app: uWS.TemplatedApp, io: Served): Promise<string> {
  answer(io, '/')
  const token = await new Promise<uWS.us_listen_socket | false>((resolve) => app.listen('127.0.0.1', 0, resolve))
  t.teardown(async () => {
    await io.close()
    uWS.us_listen_socket_close(token as uWS.us_listen_socket)
  })
  return `http://127.0.0.1:${uWS.us_socket_local_port(token as uWS.us_listen_socket)}/socket.io/`
}

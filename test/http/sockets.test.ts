/** Sockets of consoles and visitors: the right to open one, and clients that read too slowly. */

import * as uWS from 'uWebSockets.js'
import { connect } from 'node:net'
import { io } from 'socket.io-client'
import t from 'tap'
import { AddressLimits } from '../../http/server/limits/address_limits.ts'
import { OpenConnections } from '../../http/server/limits/open_connections.ts'
import { forwardedOverTls } from '../../http/server/sockets/client_connection.ts'
import { openSockets, type SocketRules } from '../../http/server/sockets/sockets.ts'
import { until } from '../runtime/support/wait.ts'

const RULES: Omit<SocketRules, 'app' | 'isSecure'> = {
  path: '/s',
  message_bytes: 1000,
  unread_bytes: 200_000,
  max_sockets: 10,
  limits: new AddressLimits(),
  connections: new OpenConnections(),
  clientAddress: () => '192.0.2.1',
  counted: { rate: 'connection', place: 'visitor_socket' },
  refuse: () => ({ message: 'TOO_FAST' }),
}

t.test('a client that reads too slowly is disconnected and never misses single messages', async (t) => {
  const app = uWS.App()
  const sockets = openSockets({ app, ...RULES, isSecure: undefined })
  const token = await new Promise<uWS.us_listen_socket | false>((resolve) => app.listen('127.0.0.1', 0, resolve))
  t.teardown(async () => {
    await sockets.close()
    uWS.us_listen_socket_close(token as uWS.us_listen_socket)
  })
  const port = uWS.us_socket_local_port(token as uWS.us_listen_socket)
  const client = io(`http://127.0.0.1:${port}`, { path: '/s', transports: ['websocket'], reconnection: false })
  t.teardown(() => client.disconnect())
  const heard: number[] = []
  let is_gone = false
  client.on('said', (n: number) => heard.push(n))
  client.on('disconnect', () => (is_gone = true))
  await until(() => client.connected)
  const { ws } = client.io.engine.transport as unknown as { ws: { _socket: { pause(): void; resume(): void } } }
  ws._socket.pause()
  const text = 'x'.repeat(50_000)
  for (let n = 0; n < 400; n++) {
    sockets.except('nobody').emit('said', n, text)
    await new Promise(setImmediate)
  }
  await until(() => sockets.engine.clientsCount === 0)
  ws._socket.resume()
  await until(() => is_gone)
  t.ok(heard.length > 10, `${heard.length} were heard`)
  t.strictSame(
    heard,
    heard.map((_, n) => n),
    'none is missing between those that were heard',
  )
})

t.test('the word of the nearest proxy about TLS counts for sockets too', async (t) => {
  const app = uWS.App()
  const sockets = openSockets({ app, ...RULES, isSecure: forwardedOverTls(['127.0.0.0/8']) })
  const token = await new Promise<uWS.us_listen_socket | false>((resolve) => app.listen('127.0.0.1', 0, resolve))
  t.teardown(async () => {
    await sockets.close()
    uWS.us_listen_socket_close(token as uWS.us_listen_socket)
  })
  const port = uWS.us_socket_local_port(token as uWS.us_listen_socket)
  const open = (...protos: string[]) =>
    new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      t.teardown(() => socket.destroy())
      socket.once('data', (data) => resolve(data.toString().split('\r\n')[0]!))
      const key = 'dGhlIHNhbXBsZSBub25jZQ=='
      const asked = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}`
      const said = protos.map((proto) => `X-Forwarded-Proto: ${proto}\r\n`).join('')
      socket.write(`GET /s/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\n${asked}\r\n${said}\r\n`)
    })
  t.match(await open('https'), / 101 /)
  t.match(await open('http', 'https'), / 101 /)
  t.match(await open('https', 'http'), / 403 /)
  t.match(await open(), / 403 /)
})

t.test('ambiguous requests open no socket', async (t) => {
  const app = uWS.App()
  const sockets = openSockets({ app, ...RULES, isSecure: undefined })
  const token = await new Promise<uWS.us_listen_socket | false>((resolve) => app.listen('127.0.0.1', 0, resolve))
  t.teardown(async () => {
    await sockets.close()
    uWS.us_listen_socket_close(token as uWS.us_listen_socket)
  })
  const port = uWS.us_socket_local_port(token as uWS.us_listen_socket)
  const query = 'EIO=4&transport=websocket'
  const upgrade =
    'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
  const ask = (head: string, body = '') =>
    new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
        if (text.startsWith('HTTP/1.1 101')) socket.destroy()
      })
      socket.on('close', () => resolve(text))
      socket.write(`${head} HTTP/1.1\r\nHost: a.example\r\n${body}`)
    })
  t.match(await ask(`GET /s/?${query}`, `${upgrade}\r\n`), /^HTTP\/1\.1 101 /)
  const cases: [string, string][] = [
    [`GET /s/?${query}`, `Host: b.example\r\n${upgrade}\r\n`],
    [`GET /s/?${query}`, `Content-Length: 1\r\nContent-Length: 2\r\n${upgrade}\r\nx`],
    [`POST /s/?${query}`, 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    [`POST /s/?${query}`, 'Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n'],
  ]
  for (const [head, rest] of cases) {
    const text = await ask(head, rest)
    t.match(text, /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\r\nConnection: close\r\n[\s\S]*"VALIDATION_ERROR"/, rest)
  }
})

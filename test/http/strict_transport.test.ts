import * as uWS from 'uWebSockets.js'
import { get } from 'node:http'
import t from 'tap'
import { AddressLimits } from '../../http/server/limits/address_limits.ts'
import { OpenConnections } from '../../http/server/limits/open_connections.ts'
import { forwardedOverTls } from '../../http/server/sockets/client_connection.ts'
import { openSockets } from '../../http/server/sockets/sockets.ts'
import { type Call, startTestServer } from './test_server.ts'

t.test('every answer over TLS, and none without it, says that the host is reached over TLS alone', async (t) => {
  const config = { production: true, strict_transport: true, trusted_proxies: ['127.0.0.0/8'] }
  const { call, send, tenant } = await startTestServer(t, { config })
  const asked: [number, string, Call?][] = [
    [200, '/v1/me'],
    [200, '/v1/me', { method: 'HEAD' }],
    [200, '/health', { token: null }],
    [200, '/ready', { token: null }],
    [200, '/providers/whatsapp/66f2a0c1d4e5f60718293a4b', { token: null }],
    [400, '/v1/messages', { method: 'POST', json: {} }],
    [401, '/v1/me', { token: null }],
    [401, '/v1/me', { token: 'wrong' }],
    [404, '/v1/nothing'],
    [405, '/v1/me', { method: 'PUT' }],
    [204, '/v1/me', { method: 'OPTIONS' }],
  ]
  for (const [status, path, options] of asked) {
    const { headers, ...answer } = await call(path, { ...options, headers: { 'x-forwarded-proto': 'https' } })
    t.equal(answer.status, status, path)
    t.equal(headers['strict-transport-security'], 'max-age=31536000', `${status} ${path}`)
  }
  const malformed = await send('GET /v1/me HTTP/1.1\r\nHost: x\r\nHost: y\r\nX-Forwarded-Proto: https\r\n\r\n')
  t.match(malformed, /^HTTP\/1\.1 400 [\s\S]*\r\nStrict-Transport-Security: max-age=31536000\r\n/)
  for (const path of ['/v1/me', '/health', '/v1/nothing']) {
    t.equal((await call(path)).headers['strict-transport-security'], undefined, path)
  }
  const lenient = await startTestServer(t, { config: { ...config, strict_transport: false } })
  const headers = { 'x-forwarded-proto': 'https', authorization: `Bearer ${tenant.secret}` }
  t.equal((await lenient.call('/v1/me', { headers })).headers['strict-transport-security'], undefined)
})

t.test('so does each refusal of a websocket', async (t) => {
  const app = uWS.App()
  const sockets = openSockets({
    app,
    path: '/s',
    message_bytes: 1000,
    unread_bytes: 200_000,
    max_sockets: 0,
    limits: new AddressLimits(),
    connections: new OpenConnections(),
    clientAddress: () => '192.0.2.1',
    counted: { rate: 'connection', place: 'visitor_socket' },
    refuse: () => ({ message: 'TOO_FAST' }),
    isSecure: forwardedOverTls(['127.0.0.0/8']),
    strict_transport: true,
  })
  const token = await new Promise<uWS.us_listen_socket | false>((resolve) => app.listen('127.0.0.1', 0, resolve))
  t.teardown(async () => {
    await sockets.close()
    uWS.us_listen_socket_close(token as uWS.us_listen_socket)
  })
  const port = uWS.us_socket_local_port(token as uWS.us_listen_socket)
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  const refusals: [number, string, Record<string, string>][] = [
    [400, 'EIO=4&transport=polling', {}],
    [400, 'EIO=3&transport=websocket', upgrade],
    [503, 'EIO=4&transport=websocket', upgrade],
  ]
  for (const [status, query, headers] of refusals) {
    const answer = await answerOf(port, `/s/?${query}`, { ...headers, 'x-forwarded-proto': 'https' })
    t.match(answer, { status, strict: 'max-age=31536000' }, `${status} ${query}`)
  }
  t.match(await answerOf(port, '/s/?EIO=4&transport=websocket', upgrade), { status: 403, strict: undefined })
})

function answerOf(port: number, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number | undefined; strict: string | undefined }>((resolve, reject) => {
    const sent = get({ port, path, headers }, (response) => {
      response.resume()
      resolve({ status: response.statusCode, strict: response.headers['strict-transport-security'] })
    })
    sent.on('error', reject)
  })
}

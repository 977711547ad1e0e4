import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import t from 'tap'
import type { Route } from '../../http/server/route/route.ts'
import { startTestServer, windows } from './test_server.ts'

t.test('closing lets requests under way finish and drops idle sockets', async (t) => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { promise: limiter, resolve: open } = Promise.withResolvers<void>()
  const server = await startTestServer(t, {
    peek: false,
    async project() {
      reach()
      await limiter
      return { admission: { ok: true, windows }, result: { json: '{}' } }
    },
  })
  const idle = connect(server.port, '127.0.0.1')
  await once(idle, 'connect')
  const idle_closed = once(idle, 'close')
  idle.on('error', () => {})

  const under_way = server.call('/v1/me')
  await reached
  const closed = server.server.close()
  t.equal(await server.send('GET /health HTTP/1.1\r\nHost: x\r\n\r\n', /\r\n\r\n/), '', 'no new connection')
  open()
  const answer = await under_way
  t.equal(answer.status, 200)
  t.equal(answer.headers.connection, 'close')
  await closed
  await idle_closed
})

t.test('a server that is to leave serves on, and ends each connection with its next answer', async (t) => {
  const file: Route = {
    method: 'GET',
    path: '/file',
    operation: 'get_file',
    summary: 'A file',
    auth: 'none',
    pool: 'exempt',
    plain_http: true,
    status: 200,
    download: async () => ({
      size: 5,
      etag: '"1"',
      content_type: 'text/plain',
      filename: null,
      open: async () => Readable.from([Buffer.from('bytes')]),
    }),
  }
  const server = await startTestServer(t, { routes: [file] })
  const token = server.tenant.secret
  const requests: { name: string; status: number; request: string; body?: string }[] = [
    { name: 'a read', status: 200, request: 'GET /health' },
    { name: 'a HEAD', status: 200, request: 'HEAD /health' },
    { name: 'a path that does not exist', status: 404, request: 'GET /nothing' },
    { name: 'a request without a token', status: 401, request: 'GET /v1/me' },
    { name: 'a request of a token', status: 200, request: 'GET /v1/me' },
    { name: 'a body that is refused', status: 400, request: 'POST /v1/messages', body: '{' },
    { name: 'a file', status: 200, request: 'GET /file' },
    { name: 'a file that the client has', status: 304, request: 'GET /file' },
    { name: 'a part of a file', status: 206, request: 'GET /file' },
  ]
  const lines: Record<string, string> = {
    'a request of a token': `Authorization: Bearer ${token}\r\n`,
    'a body that is refused': `Authorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 1\r\n`,
    'a file that the client has': 'If-None-Match: "1"\r\n',
    'a part of a file': 'Range: bytes=0-1\r\n',
  }
  const ask = ({ name, request, body = '' }: (typeof requests)[number]) =>
    server.send(`${request} HTTP/1.1\r\nHost: x\r\n${lines[name] ?? ''}\r\n${body}`, /\r\n\r\n/)
  for (const one of requests) t.notMatch(await ask(one), /^connection: close/im, `${one.name} keeps its connection`)
  server.server.leave()
  for (const one of requests) {
    const answer = await ask(one)
    t.match(answer, new RegExp(`^HTTP/1.1 ${one.status} `), one.name)
    t.equal(answer.match(/^connection: close\r$/gim)?.length, 1, `${one.name} ends its connection`)
  }
})

t.test('closing waits no longer than its deadline', async (t) => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const server = await startTestServer(t, {
    peek: false,
    config: { close_deadline_ms: 30 },
    project() {
      reach()
      return new Promise(() => {})
    },
  })
  const hanging = t.rejects(server.call('/v1/me'))
  await reached
  await server.server.close()
  await hanging
})

t.test('a start on a port in use says so', async (t) => {
  const { port } = await startTestServer(t)
  await t.rejects(startTestServer(t, { config: { port } }), /in use/)
})

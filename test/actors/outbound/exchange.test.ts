import { gzipSync } from 'node:zlib'
import t from 'tap'
import { type ExchangeRequest, exchange, OutboundGuard, retryAfter } from '../../../actors/outbound/mod.ts'
import { drip, type Hostile, hostile } from './hostile.ts'

const dispatcher = new OutboundGuard({ allow_networks: ['127.0.0.0/8'] }).createDispatcher()
t.teardown(() => dispatcher.destroy())

const call = (server: Pick<Hostile, 'url'>, rest: Partial<ExchangeRequest> = {}) =>
  exchange(dispatcher, {
    url: server.url,
    method: 'POST',
    headers: {},
    body: '{}',
    deadline_ms: 300,
    read_limit: 65_536,
    ...rest,
  })

const OK = 'HTTP/1.1 200 OK\r\n'

t.test('hostile servers', async (t) => {
  const cases: { name: string; behave: Parameters<typeof hostile>[0]; expect: object }[] = [
    { name: 'silence', behave: () => {}, expect: { status: null, error: 'timeout', was_sent: true } },
    {
      name: 'a status line that never ends',
      behave: (socket) => drip(socket, 'H', 20),
      expect: { status: null, was_sent: true, error: /timeout|invalid_response/ },
    },
    {
      name: 'headers that never end',
      behave: (socket) => {
        socket.write(`${OK}x: `)
        drip(socket, 'y', 10)
      },
      expect: { status: null, error: 'timeout' },
    },
    {
      name: 'informational answers without end',
      behave: (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 10),
      expect: { status: null, error: 'timeout' },
    },
    {
      name: 'headers larger than allowed',
      behave: (socket) => socket.end(`${OK}x: ${'y'.repeat(100_000)}\r\n\r\n`),
      expect: { status: null, error: 'invalid_response' },
    },
    {
      name: 'a body that drips',
      behave: (socket) => {
        socket.write(`${OK}content-length: 1000\r\n\r\n`)
        drip(socket, 'z', 10)
      },
      expect: { status: 200, error: 'timeout', is_complete: false },
    },
    {
      name: 'a body cut short',
      behave: (socket) => socket.end(`${OK}content-length: 1000\r\n\r\nabc`),
      expect: { status: 200, error: /connection_reset|invalid_response/, is_complete: false },
    },
    {
      name: 'a reset',
      behave: (socket) => socket.resetAndDestroy(),
      expect: { status: null, error: 'connection_reset', was_sent: true },
    },
    {
      name: 'no answer, orderly close',
      behave: (socket) => socket.end(),
      expect: { status: null, error: 'connection_reset' },
    },
    {
      name: 'another protocol',
      behave: (socket) => socket.end('SSH-2.0-OpenSSH\r\n'),
      expect: { status: null, error: 'invalid_response' },
    },
    {
      name: 'a redirect',
      behave: (socket) =>
        socket.end('HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n'),
      expect: { status: 302, error: null },
    },
  ]
  for (const { name, behave, expect } of cases) {
    const server = await hostile(behave)
    t.match(await call(server), expect, name)
    t.equal(server.connections(), 1, `${name}: asked once`)
    await server.close()
  }
})

t.test('an endless body is cut at the limit and its connection closed', async (t) => {
  const closed = Promise.withResolvers<void>()
  const server = await hostile((socket) => {
    socket.write(`${OK}\r\n`)
    const more = () => {
      while (socket.writable && socket.write('x'.repeat(16_384)));
    }
    socket.on('drain', more)
    socket.on('close', closed.resolve)
    more()
  })
  const result = await call(server, { deadline_ms: 10_000 })
  t.match(result, { status: 200, error: null, is_complete: false })
  t.equal(result.body.length, 65_536)
  await closed.promise
  await server.close()
})

t.test('a compressed bomb stays compressed', async (t) => {
  const bomb = gzipSync(Buffer.alloc(20_000_000))
  const server = await hostile((socket) => {
    socket.write(`${OK}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)
    socket.end(bomb)
  })
  const result = await call(server, { deadline_ms: 10_000 })
  t.match(result, { status: 200, error: null })
  t.ok(result.body.length <= 65_536)
  await server.close()
})

t.test('a body of exactly the limit is complete', async (t) => {
  const server = await hostile((socket) => socket.end(`${OK}content-length: 10\r\n\r\n0123456789`))
  t.match(await call(server, { read_limit: 10 }), { is_complete: true, error: null })
  t.match(await call(server, { read_limit: 9 }), { is_complete: false, error: null })
  await server.close()
})

t.test('nobody listens', async (t) => {
  const server = await hostile(() => {})
  await server.close()
  t.match(await call(server), { status: null, error: 'connection_refused', was_sent: false })
})

t.test('a name server that does not answer costs the deadline and sends nothing', async (t) => {
  const released = Promise.withResolvers<string[]>()
  const slow = new OutboundGuard({ resolve: () => released.promise }).createDispatcher()
  const result = await exchange(slow, {
    url: 'https://slow.example/',
    method: 'POST',
    headers: {},
    deadline_ms: 50,
    read_limit: 1,
  })
  t.match(result, { status: null, error: 'timeout', was_sent: false })
  released.reject(new Error('gone'))
  await slow.destroy()
})

t.test('a caller may give up', async (t) => {
  const server = await hostile(() => {})
  const giving_up = new AbortController()
  setTimeout(() => giving_up.abort(), 20)
  t.match(await call(server, { deadline_ms: 10_000, signal: giving_up.signal }), { error: 'aborted', was_sent: true })
  t.match(await call(server, { signal: giving_up.signal }), { error: 'aborted', was_sent: false })
  await server.close()
})

t.test('a request that cannot be written is an error, not an exception', async (t) => {
  const server = await hostile((socket) => socket.end(`${OK}content-length: 0\r\n\r\n`))
  t.match(await call(server, { headers: { 'x-bad': 'a\r\nb: c' } }), { error: 'invalid_request', was_sent: false })
  t.match(await call({ url: 'nonsense' }), { error: 'invalid_request', was_sent: false })
  t.equal(server.connections(), 0)
  await server.close()
})

t.test('Retry-After', async (t) => {
  const now = Date.UTC(2026, 10, 21, 3, 0, 0)
  t.equal(retryAfter('120', now), 120)
  t.equal(retryAfter(' 0 ', now), 0)
  t.equal(retryAfter('1.5', now), 1.5)
  t.equal(retryAfter('Sat, 21 Nov 2026 03:01:00 GMT', now), 60)
  t.equal(retryAfter('Saturday, 21-Nov-26 03:01:00 GMT', now), 60)
  t.equal(retryAfter('Sat Nov 21 03:01:00 2026', now), 60)
  t.equal(retryAfter('Sat, 21 Nov 2020 03:01:00 GMT', now), 0)
  for (const text of [undefined, '', '-5', 'soon', '2026-11-21', 'NaN', '1e9'])
    t.equal(retryAfter(text, now), undefined)
})

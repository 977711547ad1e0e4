/**
 * One outgoing call against servers that answer wrongly, slowly, without end or not at all. One file, because it is one
 * list of what a server may do.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { type ExchangeRequest, exchange, OutboundGuard, retryAfter } from '../../../actors/outbound/mod.ts'
import { issue } from '../../support/certificates.ts'
import { byBytes, drip, type Hostile, hostile, pour } from './hostile.ts'

const dispatcher = new OutboundGuard({ allow_networks: ['127.0.0.0/8'] }).createDispatcher()
t.teardown(() => dispatcher.destroy())

/** Enough for an answer on any machine. */
const PATIENT_MS = 10_000
/** Enough for a connection on a busy machine, where no answer is to come. */
const SHORT_MS = 1_500

const call = (server: Pick<Hostile, 'url'>, rest: Partial<ExchangeRequest> = {}) =>
  exchange(dispatcher, {
    url: server.url,
    method: 'POST',
    headers: {},
    body: '{}',
    deadline_ms: PATIENT_MS,
    read_limit: 65_536,
    ...rest,
  })

const OK = 'HTTP/1.1 200 OK\r\n'

t.test('the answers of hostile servers are errors', async (t) => {
  type Expected = {
    status: number | null
    error: string | RegExp | null
    was_sent?: boolean
    is_complete?: boolean
    body?: Buffer
  }
  const cases: { name: string; behave: Parameters<typeof hostile>[0]; expect: Expected }[] = [
    { name: 'silence', behave: () => {}, expect: { status: null, error: 'timeout', was_sent: true } },
    {
      name: 'a status line that never ends',
      behave: (socket) => drip(socket, 'H', 100),
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
      behave: (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 150),
      expect: { status: null, error: 'timeout' },
    },
    {
      name: 'informational answers as fast as they go',
      behave: (socket) => pour(socket, 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1_000)),
      expect: { status: null, error: 'invalid_response' },
    },
    {
      name: 'a few informational answers before the real one',
      behave: (socket) => {
        socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(3))
        socket.end(`${OK}content-length: 2\r\n\r\nok`)
      },
      expect: { status: 200, error: null, is_complete: true },
    },
    {
      name: '100 Continue that nobody asked for',
      behave: (socket) => socket.end(`HTTP/1.1 100 Continue\r\n\r\n${OK}content-length: 0\r\n\r\n`),
      expect: { status: 200, error: null, is_complete: true },
    },
    {
      name: 'several interim answers with headers, before a body that looks like one',
      behave: (socket) => {
        socket.write('HTTP/1.1 100 Continue\r\nx: 1\r\n\r\nHTTP/1.1 100 \r\n\r\nHTTP/1.1 102 Processing\r\n\r\n')
        socket.write(`HTTP/1.1 100 Continue\r\n\r\n${OK}content-length: 25\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n`)
      },
      expect: { status: 200, error: null, is_complete: true, body: Buffer.from('HTTP/1.1 100 Continue\r\n\r\n') },
    },
    {
      name: '100 Continue byte by byte',
      behave: (socket) => byBytes(socket, `HTTP/1.1 100 Continue\r\n\r\n${OK}content-length: 2\r\n\r\nok`),
      expect: { status: 200, error: null, is_complete: true },
    },
    {
      name: 'only 100 Continue, and then the end',
      behave: (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'),
      expect: { status: null, error: 'connection_reset' },
    },
    {
      name: '100 Continue without end',
      behave: (socket) => pour(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
      expect: { status: null, error: 'invalid_response' },
    },
    {
      name: 'a switch of protocols that nobody asked for',
      behave: (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      expect: { status: null, error: 'invalid_response' },
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
      name: 'headers without number',
      behave: (socket) => socket.end(`${OK}${'x: y\r\n'.repeat(50_000)}\r\n`),
      expect: { status: null, error: 'invalid_response' },
    },
    {
      name: 'a reset amid the status line',
      behave: (socket) => socket.write('HTTP/1.1 2', () => socket.resetAndDestroy()),
      expect: { status: null, error: 'connection_reset' },
    },
    {
      name: 'a reset amid the headers',
      behave: (socket) => socket.write(`${OK}content-len`, () => socket.resetAndDestroy()),
      expect: { status: null, error: 'connection_reset' },
    },
    {
      name: 'a reset amid the body',
      behave: (socket) =>
        socket.write(`${OK}content-length: 9\r\n\r\nabc`, () => setTimeout(() => socket.resetAndDestroy(), 30)),
      expect: { status: 200, error: 'connection_reset', is_complete: false },
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
      name: 'an answer of HTTP/0.9',
      behave: (socket) => socket.end('<html>hello</html>'),
      expect: { status: null, error: 'invalid_response' },
    },
    {
      name: 'garbage',
      behave: (socket) => socket.end(Buffer.from([0, 255, 22, 3, 1, 13, 10, 13, 10])),
      expect: { status: null, error: 'invalid_response' },
    },
    {
      name: 'two lengths',
      behave: (socket) => socket.end(`${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
      expect: { status: null, error: 'invalid_response' },
    },
    {
      name: 'a length and chunks',
      behave: (socket) => socket.end(`${OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`),
      expect: { status: null, error: 'invalid_response' },
    },
    {
      name: 'a length that is none',
      behave: (socket) => socket.end(`${OK}content-length: -1\r\n\r\n`),
      expect: { status: null, error: 'invalid_response' },
    },
    {
      name: 'chunks that are none',
      behave: (socket) => socket.end(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`),
      expect: { status: 200, error: 'invalid_response', is_complete: false },
    },
    {
      name: 'a chunk larger than the world',
      behave: (socket) => {
        socket.write(`${OK}transfer-encoding: chunked\r\n\r\nffffffffffffff\r\n`)
        pour(socket, 'x'.repeat(16_384))
      },
      expect: { status: 200, error: null, is_complete: false },
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
    const deadline_ms = /timeout/.test(String(expect.error)) ? SHORT_MS : PATIENT_MS
    t.match(await call(server, { deadline_ms }), expect, name)
    t.equal(server.connections(), 1, `${name}: asked once`)
    await server.close()
  }
})

t.test('a server that is hostile before its first word is an error', async (t) => {
  const server = createServer((socket) => socket.on('error', () => {}).resetAndDestroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  t.match(await call({ url: `http://127.0.0.1:${port}/` }), { status: null, error: 'connection_reset' })
  t.match(await call({ url: `https://127.0.0.1:${port}/` }), {
    status: null,
    error: 'connection_reset',
    was_sent: false,
  })
})

t.test('100 Continue is passed over with TLS, and before every answer of a kept connection', async (t) => {
  const authority = issue({ name: 'authority', is_authority: true })
  const { cert, key } = issue({ name: 'receiver', hosts: ['127.0.0.1'], by: authority })
  let connections = 0
  const server = createTlsServer({ cert, key }, (socket) => {
    connections++
    socket.on('error', () => {})
    socket.on('data', () => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${OK}content-length: 2\r\n\r\nok`))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const guard = new OutboundGuard({ allow_networks: ['127.0.0.0/8'], certificates: [authority.cert] })
  const secure = guard.createDispatcher()
  t.teardown(() => secure.destroy().then(() => server.close()))
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
  for (let n = 0; n < 8; n++) {
    const request = { url, method: 'GET' as const, headers: {}, deadline_ms: PATIENT_MS, read_limit: 100 }
    t.match(await exchange(secure, request), { status: 200, error: null, body: Buffer.from('ok') })
  }
  t.ok(connections < 8, `${connections} connections: some were kept`)
})

t.test('an answer before the request was read counts', async (t) => {
  const server = await hostile((socket) => {
    socket.pause()
    socket.write(`${OK}content-length: 2\r\n\r\nno`)
  })
  const body = Buffer.alloc(20_000_000)
  t.match(await call(server, { body }), { status: 200, error: null, is_complete: true })
  await server.close()
})

t.test('a request that is never read costs the deadline', async (t) => {
  const server = await hostile((socket) => socket.pause())
  const request = { body: Buffer.alloc(20_000_000), deadline_ms: SHORT_MS }
  t.match(await call(server, request), { status: null, error: 'timeout', was_sent: true })
  await server.close()
})

t.test('an answer of ten gigabytes costs only the bytes that are read', async (t) => {
  const calls = 32
  const chunk = Buffer.alloc(65_536, 'x')
  const server = await hostile((socket) => {
    socket.write(`${OK}content-length: 10000000000\r\n\r\n`)
    pour(socket, chunk)
  })
  t.teardown(() => server.close())
  const sockets: Socket[] = []
  const onConnected = (message: unknown) => sockets.push((message as { socket: Socket }).socket)
  subscribe('undici:client:connected', onConnected)
  t.teardown(() => unsubscribe('undici:client:connected', onConnected))
  const before = process.memoryUsage().rss
  const results = await Promise.all(Array.from({ length: calls }, () => call(server)))
  const grown = process.memoryUsage().rss - before
  for (const result of results) t.match(result, { status: 200, error: null, is_complete: false })
  t.equal(sockets.length, calls)
  const most = Math.max(...sockets.map(({ bytesRead }) => bytesRead))
  t.comment(`${most} bytes read of each, ${Math.round(grown / 1_048_576)} MiB more memory for ${calls} of them`)
  // The bound is the head, the limit, and the one read of Node.js that crosses the limit.
  t.ok(most <= 65_536 * 2 + 1_000, `${most} bytes`)
  t.ok(grown < 64 * 1_048_576, `${grown} bytes`)
})

t.test('a kept connection may be closed by its server', async (t) => {
  // Answers the first request of each connection. `then` gets everything after it.
  const closing = async (then: (socket: Socket) => void, is_at_once: boolean) => {
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      let count = 0
      sockets.push(socket.on('error', () => {}))
      socket.on('data', (chunk) => {
        if (!chunk.includes('\r\n\r\n')) return
        count += 1
        if (count > 1) return then(socket)
        socket.write(`${OK}content-length: 0\r\n\r\n`)
        if (is_at_once) setImmediate(then, socket)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => server.close())
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sockets }
  }

  await t.test('a connection closed while idle gets no request, and another one is made', async (t) => {
    for (const end of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
      const server = await closing(end, true)
      for (let request = 1; request <= 5; request++) {
        t.match(await call(server), { status: 200, error: null })
        const socket = server.sockets[request - 1]!
        if (!socket.closed) await once(socket, 'close')
      }
      t.equal(server.sockets.length, 5)
    }
  })

  await t.test('a request on a connection that closes may have been read, and is not sent twice', async (t) => {
    let received = 0
    const server = await closing((socket) => {
      received += 1
      socket.resetAndDestroy()
    }, false)
    t.match(await call(server), { status: 200, error: null })
    // The pool takes a connection back one turn of the event loop later.
    await new Promise(setImmediate)
    t.match(await call(server), { status: null, error: 'connection_reset', was_sent: true })
    t.equal(received, 1)
    t.equal(server.sockets.length, 1)
  })
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
  const result = await call(server)
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
  const result = await call(server)
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

t.test('a port without a listener is an error', async (t) => {
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

t.test('a caller may give up a request', async (t) => {
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

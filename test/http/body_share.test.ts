/** The memory of bodies: everybody has a share, and strangers have one that is nobody else's. */
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { sessionRoutes } from '../../http/console/session.ts'
import { Shares } from '../../http/server/limits/fair_shares.ts'
import { generateTokenSecret } from '../../storage/mod.ts'
import { admitting, startTestServer } from './test_server.ts'

const MIB = 1024 * 1024

t.test('shares', async (t) => {
  const shares = new Shares({ all: 10, kinds: { token: 6, address: 8 } })
  const a = { token: 'a', address: 'x' }
  t.ok(shares.take(a, 6))
  t.notOk(shares.take(a, 1), 'no token has more than its share')
  t.notOk(shares.take({ token: 'b', address: 'x' }, 3), 'nor has an address')
  t.ok(shares.take({ token: 'b', address: 'y' }, 4))
  t.notOk(shares.take({ token: 'c' }, 1), 'nor have all together')
  shares.give(a, 6)
  t.ok(shares.take({ token: 'c' }, 6), 'what is given back is there again')
})

t.test('made-up tokens take no memory from others', async (t) => {
  const server = await startTestServer(t, { config: { body_timeout_ms: 60_000 } })
  const sockets: Socket[] = []
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  const refused: Promise<unknown>[] = []
  for (let index = 0; index < 12; index++) {
    const socket = connect(server.port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    refused.push(
      new Promise((resolve) => {
        socket.on('data', resolve)
        socket.on('close', resolve)
      }),
    )
    const { token } = generateTokenSecret()
    const head = `POST /v1/messages/bulk HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${10 * MIB}\r\n\r\n`)
    socket.write(Buffer.alloc(9 * MIB, ' '))
  }
  await Promise.all(refused)
  const answer = await server.call('/v1/webhooks', { method: 'POST', json: { name: 'x' } })
  t.equal(answer.status, 400, 'a request with a token is read')
})

t.test('one token cannot hold the memory of all', async (t) => {
  const waiting: (() => void)[] = []
  const server = await startTestServer(t, {
    peek: false,
    // A look is answered at once. A request with a body stays under way as long as the test wants.
    project: (message) =>
      message.looks || waiting.length >= 2
        ? admitting(message)
        : new Promise((resolve) => waiting.push(() => resolve(admitting(message)))),
  })
  const raw = `{"x":"${'x'.repeat(10 * MIB - 20)}"}`
  const bulk = () =>
    server.call('/v1/messages/bulk', { method: 'POST', raw, headers: { 'content-type': 'application/json' } })
  const under_way = [bulk(), bulk()]
  while (waiting.length < 2) await new Promise((resolve) => setImmediate(resolve))
  const third = await bulk()
  t.equal(third.status, 503, 'two bodies of 10 MiB are its share')
  t.equal(third.headers['retry-after'], '1')
  for (const go of waiting) go()
  for (const { status } of await Promise.all(under_way)) t.equal(status, 400)
  t.equal((await bulk()).status, 400, 'then there is room again')
})

t.test('a body in crumbs ends its connection', async (t) => {
  const { send, call, tenant } = await startTestServer(t)
  for (const authorization of [`Bearer ${tenant.secret}`, `Bearer ${generateTokenSecret().token}`]) {
    const head = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n`
    const crumbs = '1\r\n \r\n'.repeat(100_000)
    const text = await send(`${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${crumbs}`)
    t.equal(text, '', 'it is cut without a word')
  }
  t.equal((await call('/v1/me')).status, 200)
})

t.test('crumbs behind a body that is too large also end the connection', async (t) => {
  const { send, call } = await startTestServer(t, { routes: sessionRoutes() })
  const head = 'DELETE /console/session HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\n'
  const large = `2400\r\n${'x'.repeat(0x2400)}\r\n`
  const text = await send(`${head}Transfer-Encoding: chunked\r\n\r\n${large}${'1\r\n \r\n'.repeat(100_000)}`)
  t.equal(text, '', 'it is cut without a word')
  t.match(await send(`${head}Transfer-Encoding: chunked\r\n\r\n${large}0\r\n\r\n`), /^HTTP\/1.1 413 /)
  t.equal((await call('/health', { token: null })).status, 200)
})

t.test('a few addresses with slow bodies keep no others out', async (t) => {
  const { port, call } = await startTestServer(t, {
    config: { body_timeout_ms: 60_000, trusted_proxies: ['127.0.0.0/8'] },
    hooks: { provider: async () => ({ status: 200, body: '' }) },
  })
  const path = '/providers/telegram/66f2a0c1d4e5f60718293a4b'
  const sockets: Socket[] = []
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (let address = 1; address <= 4; address++) {
    for (const bytes of [3 * MIB, 3 * MIB - 64]) {
      const socket = connect(port, '127.0.0.1')
      sockets.push(socket)
      socket.on('error', () => {})
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.${address}\r\n`)
      socket.write(`Content-Length: ${4 * MIB}\r\n\r\n`)
      await new Promise((resolve) => socket.write(Buffer.alloc(bytes, ' '), resolve))
    }
  }
  const post = () =>
    call(path, { method: 'POST', raw: 'x'.repeat(8000), token: null, headers: { 'x-forwarded-for': '192.0.2.9' } })
  // From then on, slow bodies may have to make room.
  await new Promise((resolve) => setTimeout(resolve, 2500))
  t.equal((await post()).status, 200)
  t.equal((await post()).status, 200)
})

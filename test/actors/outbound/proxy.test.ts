import { createServer, type Socket } from 'node:net'
import t from 'tap'
import { issue } from '../../support/certificates.ts'
import { testProxy } from '../../support/proxy.ts'
import { hostile } from './hostile.ts'
import { authority, callerOf, secure } from './secure.ts'

const LOOPBACK = ['127.0.0.0/8', '::1/128']
const PUBLIC = '93.184.216.34'
const HOSTS = ['receiver.example']
const certificate = issue({ name: 'test', hosts: HOSTS, by: authority })

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

t.test('the proxy gets the checked address, and the receiver proves its name', async (t) => {
  const server = await secure(t, certificate)
  // The proxy leads the public address to the server of this test, so the test opens no network to the guard.
  const proxy = await testProxy(t, { route: () => ({ host: '127.0.0.1', port: server.port }) })
  let asked = 0
  const resolve = async () => {
    asked += 1
    return [PUBLIC]
  }
  const { call } = callerOf(t, { resolve, proxy: `http://127.0.0.1:${proxy.port}` })
  t.match(await call('https://receiver.example/'), { status: 200, error: null })
  // The pool takes a connection back one turn of the event loop later.
  await new Promise(setImmediate)
  t.match(await call('https://receiver.example/again'), { status: 200, error: null })
  t.strictSame(proxy.heads, [`CONNECT ${PUBLIC}:443 HTTP/1.1\r\nHost: ${PUBLIC}:443\r\n\r\n`])
  t.equal(asked, 1, 'the tunnel is kept')
  t.strictSame(server.requests, ['receiver.example', 'receiver.example'])

  t.match(await call('https://somebody-else.example/'), {
    error: 'tls_failed',
    error_detail: 'cert_altname_invalid',
    was_sent: false,
  })
  t.notMatch(proxy.heads.join(''), 'example', 'no name is told')
})

t.test('an IPv6 address, a port and credentials', async (t) => {
  const server = await secure(t, certificate)
  const proxy = await testProxy(t, { route: () => ({ host: '127.0.0.1', port: server.port }) })
  const { call } = callerOf(t, {
    resolve: async () => ['2606:4700::1111'],
    proxy: `http://us%40er:p%3Ass@127.0.0.1:${proxy.port}/`,
  })
  const result = await call('https://receiver.example:8443/')
  t.match(result, { status: 200, error: null })
  const authorization = `Basic ${Buffer.from('us@er:p:ss').toString('base64')}`
  const target = '[2606:4700::1111]:8443'
  t.strictSame(proxy.heads, [
    `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nProxy-Authorization: ${authorization}\r\n\r\n`,
  ])
  t.notMatch(JSON.stringify(result), /us@er|us%40er|p:ss|Basic/)
})

t.test('the guard holds in front of a proxy', async (t) => {
  const proxy = await testProxy(t)
  const { call } = callerOf(t, {
    resolve: async (name) => (name === 'inside.example' ? ['10.0.0.7'] : [PUBLIC, '127.0.0.1']),
    proxy: `http://127.0.0.1:${proxy.port}`,
  })
  for (const host of ['inside.example', 'mixed.example', '127.0.0.1', '[::1]', '[::ffff:8.8.8.8]', 'localhost'])
    t.match(await call(`https://${host}/`), { error: 'address_forbidden', was_sent: false }, host)
  t.match(await call('http://receiver.example/'), { error: 'address_forbidden', was_sent: false })
  t.strictSame(proxy.heads, [], 'the proxy heard of none of them')
})

t.test('plain http to open networks goes through the proxy as well', async (t) => {
  const server = await hostile((socket) => socket.write(OK))
  t.teardown(() => server.close())
  const proxy = await testProxy(t)
  const { call } = callerOf(t, { allow_networks: LOOPBACK, proxy: `http://127.0.0.1:${proxy.port}` })
  t.match(await call(server.url), { status: 200, error: null })
  t.match(await call(`http://localhost:${server.port}/`), { status: 200, error: null })
  t.match(proxy.heads, [
    new RegExp(`^CONNECT 127\\.0\\.0\\.1:${server.port} `),
    new RegExp(`^CONNECT 127\\.0\\.0\\.1:${server.port} `),
  ])
  t.equal(proxy.tunnels, 2)
})

t.test('an address that the proxy does not reach gives way to the next', async (t) => {
  const server = await secure(t, certificate)
  const proxy = await testProxy(t, {
    instead: (socket, authority) => authority.startsWith(PUBLIC) && !!socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'),
    route: () => ({ host: '127.0.0.1', port: server.port }),
  })
  const { call } = callerOf(t, { resolve: async () => [PUBLIC, '8.8.8.8'], proxy: `http://127.0.0.1:${proxy.port}` })
  t.match(await call('https://receiver.example/'), { status: 200, error: null })
  t.equal(proxy.heads.length, 2)
})

t.test('a failing proxy is an error of the proxy', async (t) => {
  const failed = { status: null, error: 'proxy_failed', was_sent: false }
  const answers: Record<string, (socket: Socket) => unknown> = {
    'wants credentials': (socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
    forbids: (socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'),
    'contact_points nobody': (socket) => socket.end('HTTP/1.1 504 Gateway Timeout\r\n\r\n'),
    redirects: (socket) => socket.end('HTTP/1.1 302 Found\r\nlocation: http://10.0.0.7/\r\n\r\n'),
    'hangs up': (socket) => socket.end(),
    resets: (socket) => socket.resetAndDestroy(),
    'breaks off amid its answer': (socket) => socket.end('HTTP/1.1 200 Conn'),
    'speaks something else': (socket) => socket.end('SSH-2.0-OpenSSH\r\n\r\n'),
    'never ends its headers': (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}`),
    'answers in the name of the receiver': (socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${OK}`),
    hangs: () => {},
  }
  for (const [name, answer] of Object.entries(answers)) {
    const proxy = await testProxy(t, {
      instead: (socket) => {
        answer(socket)
        return true
      },
    })
    const options = { allow_networks: LOOPBACK, connect_timeout_ms: name === 'hangs' ? 200 : 10_000 }
    const { call } = callerOf(t, { ...options, proxy: `http://user:hunter2@127.0.0.1:${proxy.port}` })
    const result = await call('http://127.0.0.1:9/')
    t.match(result, failed, name)
    t.notMatch(JSON.stringify(result), 'hunter2')
  }
  const closed = createServer()
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const { port } = closed.address() as { port: number }
  await new Promise((resolve) => closed.close(resolve))
  const { call } = callerOf(t, { allow_networks: LOOPBACK, proxy: `http://127.0.0.1:${port}` })
  t.match(await call('http://127.0.0.1:9/'), failed, 'is not there')
})

t.test('a broken tunnel counts as a broken connection', async (t) => {
  const proxy = await testProxy(t, {
    instead: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.once('data', () => socket.resetAndDestroy())
      return true
    },
  })
  const { call } = callerOf(t, { allow_networks: LOOPBACK, proxy: `http://127.0.0.1:${proxy.port}` })
  t.match(await call('http://127.0.0.1:9/'), { status: null, error: 'connection_reset', was_sent: true })
  t.match(await call('https://127.0.0.1:9/'), { status: null, error: 'connection_reset', was_sent: false })
})

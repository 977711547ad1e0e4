import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { OutboundGuard } from '../../../actors/outbound/mod.ts'
import { type AttemptRequest, type AttemptResult, makeSecret, WebhookSender } from '../../../actors/webhook/mod.ts'
import { issue } from '../../support/certificates.ts'
import { testProxy } from '../../support/proxy.ts'
import { drip, hostile } from '../outbound/hostile.ts'
import { secure } from '../outbound/secure.ts'

const secret = makeSecret()
const guard = new OutboundGuard({ allow_networks: ['127.0.0.0/8'] })
const sender = new WebhookSender({ guard, deadline_ms: 10_000 })
/** A sender with a short deadline, for receivers that use up all the time. */
const hasty = new WebhookSender({ guard, deadline_ms: 1_000 })
t.teardown(() => Promise.all([sender.close(), hasty.close()]))

const requestTo = (url: string, rest: Partial<AttemptRequest> = {}): AttemptRequest => ({
  url,
  secret,
  headers: null,
  event_id: 'evt_1',
  event_type: 'crm.note.created',
  delivery_id: 'dlv_1',
  attempt: 1,
  body: '{"a":1}',
  ...rest,
})

type Received = {
  method: string | undefined
  url: string | undefined
  headers: IncomingMessage['headers']
  body: string
}

async function receiver(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, url, headers } = request
    received.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=b`, received, close }
}

t.test('a receiver gets the event with its headers and signatures', async (t) => {
  const { url, received, close } = await receiver((_, response) => response.end('thanks'))
  t.teardown(close)
  const headers = { Authorization: 'Bearer hush', 'x-svc-attempt': '99', 'X-Empty': '' }
  const result = await sender.attempt(requestTo(url, { headers, attempt: 3 }))
  t.match(result, { outcome: 'success', status_code: 200, error: null, excerpt: 'thanks' })
  const [request] = received
  t.match(request, {
    method: 'POST',
    url: '/hook?a=b',
    body: '{"a":1}',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Parley-Webhooks/1',
      'x-svc-event': 'crm.note.created',
      'x-svc-delivery': 'dlv_1',
      'x-svc-attempt': '3',
      'x-svc-signature': /^t=\d+,v1=[0-9a-f]{64}$/,
      'webhook-id': 'evt_1',
      authorization: 'Bearer hush',
    },
  })
  new Webhook(secret).verify(request?.body ?? '', request?.headers as Record<string, string>)
  t.equal(result.headers_sent.Authorization, '[redacted]')
  t.equal(result.headers_sent['X-Svc-Attempt'], '3')
  t.notMatch(JSON.stringify(result), /hush|whsec_/)
})

t.test('statuses', async (t) => {
  const { url, close } = await receiver((request, response) => {
    response.statusCode = Number(new URL(request.url ?? '', 'http://x').searchParams.get('a'))
    response.end()
  })
  t.teardown(close)
  const outcomes: [AttemptResult['outcome'], number[]][] = [
    ['success', [200, 201, 202, 204, 299]],
    ['final', [400, 401, 403, 404, 405, 410, 413, 422, 451, 499]],
    ['retryable', [300, 301, 302, 304, 307, 308, 408, 429, 500, 502, 503, 504, 599, 600]],
  ]
  for (const [outcome, statuses] of outcomes)
    for (const status of statuses) {
      const result = await sender.attempt(requestTo(url.replace('a=b', `a=${status}`)))
      t.match(result, { outcome, status_code: status, error: outcome === 'success' ? null : `http_${status}` })
    }
})

t.test('Retry-After', async (t) => {
  const { url, close } = await receiver((_, response) => response.writeHead(503, { 'retry-after': '17' }).end())
  t.teardown(close)
  t.equal((await sender.attempt(requestTo(url))).retry_after_s, 17)
})

t.test('hostile receivers', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\n'
  const bomb = gzipSync(Buffer.alloc(5_000_000))
  /** `with`: the default is the hasty sender. */
  const cases: { name: string; behave: Parameters<typeof hostile>[0]; expect: object; with?: WebhookSender }[] = [
    {
      name: 'silent',
      behave: () => {},
      expect: { outcome: 'retryable', status_code: null, error: 'timeout', excerpt: null },
    },
    {
      name: '200 after the deadline',
      behave: (socket) => {
        setTimeout(() => socket.end(`${head}content-length: 0\r\n\r\n`), 1_300).unref()
      },
      expect: { outcome: 'retryable', status_code: null, error: 'timeout' },
    },
    {
      name: 'resets',
      behave: (socket) => socket.resetAndDestroy(),
      expect: { outcome: 'retryable', error: 'connection_reset' },
      with: sender,
    },
    {
      name: 'drips a body after 200: it has said yes',
      behave: (socket) => {
        socket.write(`${head}content-length: 999\r\n\r\n`)
        drip(socket, 'z', 20)
      },
      expect: { outcome: 'success', status_code: 200, error: null, excerpt: /^z+$/ },
    },
    {
      name: 'drips a body after 500',
      behave: (socket) => {
        socket.write('HTTP/1.1 500 Oh\r\ncontent-length: 999\r\n\r\n')
        drip(socket, 'z', 20)
      },
      expect: { outcome: 'retryable', status_code: 500, error: 'http_500' },
    },
    {
      name: 'redirects inwards',
      behave: (socket) => socket.end('HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'),
      expect: { outcome: 'retryable', status_code: 307, error: 'http_307' },
      with: sender,
    },
    {
      name: 'sends a bomb',
      behave: (socket) => {
        socket.write(`${head}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)
        socket.end(bomb)
      },
      expect: { outcome: 'success', excerpt: null },
      with: sender,
    },
    {
      name: 'sends NUL and half characters',
      behave: (socket) => socket.end(Buffer.concat([Buffer.from(`${head}\r\na\0`), Buffer.from('é'.repeat(4000))])),
      expect: { outcome: 'success', excerpt: /^a\ufffdé+$/ },
      with: sender,
    },
  ]
  for (const { name, behave, expect, with: used = hasty } of cases) {
    const server = await hostile(behave)
    const result = await used.attempt(requestTo(server.url))
    t.match(result, expect, name)
    t.ok(Buffer.byteLength(result.excerpt ?? '') <= 4_100, name)
    await server.close()
  }
})

t.test('addresses inside the network', async (t) => {
  const closed = new WebhookSender({ guard: new OutboundGuard(), deadline_ms: 1_000 })
  for (const url of ['https://127.0.0.1/', 'https://[::1]/', 'https://169.254.169.254/', 'http://127.0.0.1/'])
    t.match(
      await closed.attempt(requestTo(url)),
      { outcome: 'retryable', status_code: null, error: 'address_forbidden' },
      url,
    )
  await closed.close()
})

t.test('connections are kept between attempts', async (t) => {
  let sockets = 0
  const server = createServer((_, response) => response.end())
  server.on('connection', () => {
    sockets += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  for (let attempt = 1; attempt <= 5; attempt++) {
    await sender.attempt(requestTo(url, { attempt }))
    await new Promise(setImmediate)
  }
  t.equal(sockets, 1)
})

t.test('a TLS failure tells its reason', async (t) => {
  const certificate = issue({ name: 'test', hosts: ['127.0.0.1'], not_after: new Date(Date.now() - 1_000) })
  const { port } = await secure(t, certificate)
  const result = await sender.attempt(requestTo(`https://127.0.0.1:${port}/`))
  t.match(result, { outcome: 'retryable', status_code: null, excerpt: null })
  t.match(result.error, /^tls_failed: (?:cert_has_expired|depth_zero_self_signed_cert)$/)
})

t.test('a proxy that fails is no verdict on the receiver', async (t) => {
  const proxy = await testProxy(t, { instead: (socket) => !!socket.end('HTTP/1.1 407 No\r\n\r\n') })
  const through = new OutboundGuard({
    allow_networks: ['127.0.0.0/8'],
    proxy: `http://user:hunter2@127.0.0.1:${proxy.port}`,
  })
  const proxied = new WebhookSender({ guard: through, deadline_ms: 5_000 })
  t.teardown(() => proxied.close())
  const result = await proxied.attempt(requestTo('http://127.0.0.1:9/'))
  t.match(result, { outcome: 'retryable', status_code: null, error: 'proxy_failed', excerpt: null })
  t.notMatch(JSON.stringify(result), /hunter2|roxy-/)
})

t.test('closing ends the attempts under way', async (t) => {
  const server = await hostile(() => {})
  const closing = new WebhookSender({ guard, deadline_ms: 10_000 })
  const pending = closing.attempt(requestTo(server.url))
  while (server.connections() === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await closing.close()
  t.match(await pending, { outcome: 'retryable', status_code: null, error: 'aborted' })
  t.match(await closing.attempt(requestTo(server.url)), { outcome: 'retryable', error: 'aborted' })
  await server.close()
})

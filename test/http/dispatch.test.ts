import t from 'tap'
import { startTestServer } from './test_server.ts'

t.test('paths and methods', async (t) => {
  const server = await startTestServer(t)
  const cases: [string, string, number, string?][] = [
    ['GET', '/v1/me', 200],
    ['GET', '/v1/%6de', 200],
    ['GET', '/v1/me/', 404, 'NOT_FOUND'],
    ['GET', '/v1//me', 404, 'NOT_FOUND'],
    ['GET', '/v1/ME', 404, 'NOT_FOUND'],
    ['GET', '/v1/%zz', 404, 'NOT_FOUND'],
    ['GET', '/', 404, 'NOT_FOUND'],
    ['GET', '/v2/me', 404, 'NOT_FOUND'],
    ['PUT', '/v1/me', 405, 'METHOD_NOT_ALLOWED'],
    ['OPTIONS', '/v1/nothing', 404, 'NOT_FOUND'],
    ['PUT', '/v1/webhooks/wh_000000000000000000000000', 405, 'METHOD_NOT_ALLOWED'],
    ['POST', '/v1/webhooks/event-types', 405, 'METHOD_NOT_ALLOWED'],
    ['DELETE', '/v1/webhooks/event-types', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/v1/media/upload', 405, 'METHOD_NOT_ALLOWED'],
    ['DELETE', '/v1/media/upload', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/v1/messages/raw', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/v1/messages/garbage', 404, 'NOT_FOUND'],
    ['GET', '/v1/messages/msg_0000000000000000000000zz', 404, 'NOT_FOUND'],
    ['GET', '/v1/messages/%00', 404, 'NOT_FOUND'],
    ['GET', '/v1/messages/%ff%fe', 404, 'NOT_FOUND'],
    ['GET', '/v1/messages/msg_000000000000000000000000', 404, 'NOT_FOUND'],
    ['GET', '/v1/webhooks/1', 404, 'WEBHOOK_NOT_FOUND'],
    ['DELETE', '/v1/webhooks/1', 404, 'WEBHOOK_NOT_FOUND'],
    ['GET', '/v1/webhooks/wh_000000000000000000000000', 404, 'WEBHOOK_NOT_FOUND'],
    ['GET', '/v1/webhooks/%77h_000000000000000000000000/deliveries', 404, 'WEBHOOK_NOT_FOUND'],
  ]
  for (const [method, path, status, code] of cases) {
    const answer = await server.call(path, { method })
    t.equal(answer.status, status, `${method} ${path}`)
    if (code) t.equal(answer.body.error.code, code, `${method} ${path}`)
    t.ok(answer.headers['x-request-id'])
  }
})

t.test('no answer to HEAD has a body, which the client would take for the next answer', async (t) => {
  const { send, tenant } = await startTestServer(t)
  const cases: [string, string][] = [
    ['/nothing', '404'],
    ['/v1/nothing', '404'],
    ['/v1/messages/bulk/a/cancel', '405'],
    ['/v1/media/upload', '405'],
    ['/v1/me', '200'],
    ['/v1/me?a=b', '400'],
    ['/v1/webhooks/1', '404'],
  ]
  const head = (path: string, headers: string) =>
    `HEAD ${path} HTTP/1.1\r\nHost: a.example\r\n${headers}Connection: close\r\n\r\n`
  for (const [path, status] of cases) {
    const answer = await send(head(path, `Authorization: Bearer ${tenant.secret}\r\n`))
    t.ok(answer.startsWith(`HTTP/1.1 ${status} `), path)
    t.match(answer, /\r\nContent-Length: [1-9]/i, path)
    t.equal(answer.split('\r\n\r\n').slice(1).join(), '', path)
  }
  t.match(await send(head('/v1/nothing', '')), /^HTTP\/1.1 401 .*\r\n\r\n$/s)
})

t.test('405 and OPTIONS name the allowed methods', async (t) => {
  const { call } = await startTestServer(t)
  const { headers, body } = await call('/v1/webhooks', { method: 'DELETE' })
  t.equal(headers.allow, 'POST, GET, HEAD, OPTIONS')
  t.strictSame(body.error.details, { allowed: ['POST', 'GET', 'HEAD', 'OPTIONS'] })
  t.match(await call('/v1/webhooks', { method: 'OPTIONS' }), {
    status: 204,
    headers: { allow: 'POST, GET, HEAD, OPTIONS' },
  })
  t.match(await call('/health', { method: 'POST', token: null }), { status: 405, headers: { allow: /^GET, HEAD/ } })
})

t.test('only authenticated clients learn which routes do not exist', async (t) => {
  const { call, tenant } = await startTestServer(t, { config: { operator_key: 'the key of the operator' } })
  for (const [method, path] of [
    ['GET', '/v1/nothing'],
    ['DELETE', '/v1/webhooks'],
    ['OPTIONS', '/v1/webhooks'],
    ['POST', '/v1'],
    ['GET', '/admin/v1/nothing'],
  ] as const) {
    t.equal((await call(path, { method, token: null })).status, 401, `${method} ${path} without a token`)
    const answer = await call(path, { method, headers: { authorization: `Bearer ${tenant.secret}x` } })
    t.equal(answer.status, 401, `${method} ${path} with a made-up token`)
  }
  const headers = { authorization: 'Bearer the key of the operator' }
  t.equal((await call('/admin/v1/nothing', { headers })).status, 404)
  const body = { method: 'POST', json: { anything: ['at all'] } }
  t.equal((await call('/v1/nothing', body)).status, 404, 'nothing there could say what the body should be')
})

t.test('HEAD is GET without the body', async (t) => {
  const { call } = await startTestServer(t)
  const get = await call('/v1/me')
  const head = await call('/v1/me', { method: 'HEAD' })
  t.equal(head.text, '')
  t.equal(head.status, get.status)
  t.equal(head.headers['content-length'], get.headers['content-length'])
  t.equal((await call('/v1/projects', { method: 'HEAD' })).status, 404)
  t.equal((await call('/v1/me')).status, 200, 'the connection is still in step')
})

t.test('HEAD is answered wherever GET is', async (t) => {
  const { call } = await startTestServer(t)
  for (const path of [
    '/',
    '/health',
    '/ready',
    '/docs',
    '/console',
    '/console/boot.js',
    '/widget.js',
    '/widget/nothing',
  ]) {
    const get = await call(path, { token: null })
    const head = await call(path, { method: 'HEAD', token: null })
    const { 'content-type': type, 'content-length': length, etag, location } = get.headers
    t.equal(head.status, get.status, path)
    t.equal(head.text, '', path)
    t.match(head.headers, { 'content-type': type, 'content-length': length, etag, location }, path)
  }
})

t.test('request ids', async (t) => {
  const { call } = await startTestServer(t)
  const id = async (sent: string) =>
    (await call('/v1/me', { headers: { 'x-request-id': sent } })).headers['x-request-id']
  t.equal(await id('trace-1._A'), 'trace-1._A')
  for (const insane of ['a b', 'ü', '<script>', 'x'.repeat(129)]) t.match(await id(insane), /^req_/, insane)
  t.not(await id(''), await id(''))
})

t.test('two routes with one method and path are refused', async (t) => {
  const route = {
    method: 'GET',
    path: '/v1/webhooks/:other',
    operation: 'x',
    summary: '',
    auth: 'none',
    status: 200,
  } as const
  await t.rejects(startTestServer(t, { routes: [{ ...route, read: () => ({}) }] }), /two routes take GET/)
  const misplaced = [
    { ...route, path: '/v1/other', change: () => ({}) },
    ...(['PATCH', 'PUT', 'DELETE'] as const).map((method) => ({ ...route, method, read: () => ({}) })),
  ]
  for (const one of misplaced) {
    await t.rejects(startTestServer(t, { routes: [one] }), /GET has read, PATCH, PUT and DELETE have change/)
  }
})

t.test('TLS in production', async (t) => {
  const { call, send, asked, tenant } = await startTestServer(t, {
    config: { production: true, trusted_proxies: ['127.0.0.0/8'] },
  })
  const refused = await call('/v1/me', { token: null })
  t.match(refused, { status: 403, body: { error: { code: 'HTTPS_REQUIRED' } } })
  t.equal((await call('/v1/nothing')).status, 403)
  t.equal((await call('/v1/me', { headers: { 'x-forwarded-proto': 'http' } })).status, 403)
  t.equal((await call('/v1/me', { headers: { 'x-forwarded-proto': 'https, http' } })).status, 403)
  const lines = (...protos: string[]) => {
    const said = protos.map((proto) => `X-Forwarded-Proto: ${proto}\r\n`).join('')
    return send(`GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.secret}\r\n${said}\r\n`, /\r\n\r\n/)
  }
  t.match(await lines('https', 'http'), /^HTTP\/1\.1 403 /, 'what the client claims comes before what the proxy says')
  t.match(await lines('https', 'https, http'), /^HTTP\/1\.1 403 /)
  t.equal((await call('/health', { token: null })).status, 200)
  t.equal(asked.length, 0)
  t.match(await lines('http', 'https'), /^HTTP\/1\.1 200 /)
  t.equal((await call('/v1/me', { headers: { 'x-forwarded-proto': 'https' } })).status, 200)
})

t.test('nobody but a trusted proxy can claim TLS', async (t) => {
  const { call } = await startTestServer(t, { config: { production: true, trusted_proxies: ['10.0.0.0/8', '::1'] } })
  t.equal((await call('/v1/me', { headers: { 'x-forwarded-proto': 'https' } })).status, 403)
  await t.rejects(
    startTestServer(t, { config: { production: true, trusted_proxies: ['nonsense'] } }),
    /not an address or a CIDR/,
  )
})

t.test('a path of malformed escapes costs as little as any other', async (t) => {
  const { send, call } = await startTestServer(t)
  const costOf = async (path: string) => {
    const used = process.cpuUsage()
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
    for (let n = 0; n < 30; n++) await send(request, /\r\n\r\n/)
    const { user, system } = process.cpuUsage(used)
    return user + system
  }
  await costOf('/nothing')
  const usual = await costOf(`/${'x/'.repeat(1900)}`)
  const hostile = await costOf(`/${'%/'.repeat(1900)}`)
  t.ok(hostile < 4 * usual, `${hostile} µs, and ${usual} µs without escapes`)
  t.equal((await call('/v1/me')).status, 200)
})

import { connect } from 'node:net'
import t from 'tap'
import { parseJson } from '../../http/server/parse/json.ts'
import { eventually } from '../e2e/client.ts'
import { admitting, startTestServer, violations } from './test_server.ts'

const webhook = { name: 'Orders', url: 'https://example.com/hook', events: ['whatsapp.message.received'] }

t.test('bodies that are not JSON of the right form', async (t) => {
  const { call, asked } = await startTestServer(t)
  const json = { 'content-type': 'application/json' }
  const deep = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`
  const cases: [string, string | Buffer, Record<string, string>, number, string][] = [
    ['nothing', '', json, 400, ' required'],
    ['nothing, of no type', '', {}, 400, ' required'],
    ['half of an object', '{"name":', json, 400, ' malformed_json'],
    ['a comment', '{} // x', json, 400, ' malformed_json'],
    ['two byte order marks', '\ufeff\ufeff{}', json, 400, ' malformed_json'],
    ['a raw control character', '{"name":"a\u0001b"}', json, 400, ' malformed_json'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), json, 400, ' malformed_json'],
    ['a list', '[]', json, 400, ' invalid_type'],
    ['a text', '"x"', json, 400, ' invalid_type'],
    ['null', 'null', json, 400, ' invalid_type'],
    ['a list for an object', JSON.stringify({ ...webhook, headers: [] }), json, 400, 'headers invalid_type'],
    ['NUL', `{"name":"a\\u0000b"}`, json, 400, 'name invalid_character'],
    ['NUL in a key', `{"a\\u0000":1}`, json, 400, 'a\\u0000 invalid_character'],
    ['half a surrogate pair', `{"name":"\\ud800"}`, json, 400, 'name invalid_character'],
    ['nested too deep', deep, json, 400, `${'a.'.repeat(31)}a too_deep`],
    ['another type', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['no type', '{}', {}, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'another character set',
      '{}',
      { 'content-type': 'application/json; charset=latin1' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['compressed', '{}', { ...json, 'content-encoding': 'gzip' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ]
  for (const [what, raw, headers, status, expected] of cases) {
    const answer = await call('/v1/webhooks', { method: 'POST', raw, headers })
    t.equal(answer.status, status, what)
    if (status === 400) t.strictSame(violations(answer), [expected], what)
    else t.equal(answer.body.error.code, expected, what)
  }
  t.ok(
    asked.every(({ command }) => command === undefined),
    'none became a command',
  )
  t.equal(asked.length, cases.length, 'each was counted')
})

t.test('a pair of surrogates and other types of JSON are fine', async (t) => {
  const { call } = await startTestServer(t)
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'application/vnd.api+json',
    'APPLICATION/JSON;charset="UTF-8"',
  ]) {
    const raw = JSON.stringify(webhook).replace('Orders', '\\ud83d\\ude00 ok')
    const answer = await call('/v1/webhooks', { method: 'POST', raw, headers: { 'content-type': type } })
    t.match(answer, { status: 201, body: { name: '😀 ok' } }, type)
  }
})

t.test('routes that take no body', async (t) => {
  const { call } = await startTestServer(t)
  const path = '/v1/webhooks/wh_000000000000000000000001/rotate-secret'
  const headers = { 'content-type': 'application/json' }
  t.equal((await call(path, { method: 'POST' })).status, 200)
  t.equal((await call(path, { method: 'POST', headers })).status, 200)
  t.equal((await call(path, { method: 'POST', raw: ' {} ', headers })).status, 200)
  const refused = await call(path, { method: 'POST', json: { secret: 'mine', x: 1 } })
  t.strictSame(violations(refused), ['secret unknown_property', 'x unknown_property'])
  t.strictSame(violations(await call('/v1/me', { method: 'GET', json: { a: 1 } })), ['a unknown_property'])
  t.strictSame(violations(await call('/v1/me/token', { method: 'DELETE', json: { a: 1 } })), ['a unknown_property'])
})

t.test('bodies over the limit', async (t) => {
  const { call, asked } = await startTestServer(t)
  const over = `{"name":"${'x'.repeat(1024 * 1024)}"}`
  const headers = { 'content-type': 'application/json' }
  const announced = await call('/v1/webhooks', { method: 'POST', raw: over, headers })
  t.match(announced, { status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE', details: { limit: 1048576 } } } })
  async function* chunks() {
    for (let i = 0; i < 20; i++) yield Buffer.alloc(64 * 1024, 'x')
  }
  t.equal((await call('/v1/webhooks', { method: 'POST', raw: chunks(), headers })).status, 413)
  t.equal((await call('/v1/webhooks', { method: 'POST', raw: over, headers, token: null })).status, 401)
  const fits = `{"name":"${'x'.repeat(1024 * 1024 - 11)}"}`
  t.equal(Buffer.byteLength(fits), 1024 * 1024)
  t.equal(
    (await call('/v1/webhooks', { method: 'POST', raw: fits, headers })).status,
    400,
    'the limit itself is allowed',
  )
  t.equal(asked.length, 3)
})

t.test('a body in many pieces is put together', async (t) => {
  const { call } = await startTestServer(t)
  async function* pieces() {
    for (const byte of Buffer.from(JSON.stringify({ ...webhook, name: 'Ünïcode' }))) yield Buffer.from([byte])
  }
  const answer = await call('/v1/webhooks', {
    method: 'POST',
    raw: pieces(),
    headers: { 'content-type': 'application/json' },
  })
  t.match(answer, { status: 201, body: { name: 'Ünïcode' } })
})

t.test('the server does not wait for a body that does not come', async (t) => {
  const { send, tenant, asked } = await startTestServer(t, { config: { body_timeout_ms: 50 } })
  const head = `POST /v1/webhooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.secret}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"na`
  const text = await send(head)
  t.match(text, /^HTTP\/1.1 408 .*"REQUEST_TIMEOUT"/s)
  t.match(text, /Connection: close/i)
  t.equal(asked[0]?.command, undefined)
})

t.test('clients that leave', async (t) => {
  const pending: (() => void)[] = []
  const server = await startTestServer(t, {
    peek: false,
    project: (message) => new Promise((resolve) => pending.push(() => resolve(admitting(message)))),
  })
  const { secret } = server.tenant
  const metrics = () => server.server.registry.metrics()
  const inFlight = async () => Number(/parley_http_requests_in_flight (\d+)\n/.exec(await metrics())?.[1])
  const taken = eventually('the requests are under way', async () => (await inFlight()) >= 3)
  const leave = (text: string, when: Promise<unknown> = taken) =>
    new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => socket.write(text))
      socket.on('error', () => {})
      socket.on('close', () => resolve())
      void when.then(() => socket.resetAndDestroy())
    })
  const auth = `Authorization: Bearer ${secret}\r\nContent-Type: application/json\r\n`
  await Promise.all([
    leave(`POST /v1/webhooks HTTP/1.1\r\nHost: x\r\n${auth}Content-Length: 100\r\n\r\n{"na`),
    leave(`POST /v1/webhooks HTTP/1.1\r\nHost: x\r\n${auth}Content-Length: 2\r\n\r\n{}`),
    leave(`GET /v1/me HTTP/1.1\r\nHost: x\r\n${auth}\r\n`),
    leave(`GET /v1/me HTTP/1.1\r\nHost: x\r\n\r\n`, Promise.resolve()),
    leave('GET /v1/me HT'),
  ])
  await eventually('none is left', async () => {
    // A busy server may ask for a request after its client has left.
    for (const answer of pending.splice(0)) answer()
    return (await inFlight()) === 0
  })
  t.match(await metrics(), /http_response_status_code="499"/)
})

t.test('bytes that are not HTTP', async (t) => {
  const { send, call } = await startTestServer(t)
  const smuggled =
    'POST /v1/webhooks HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
  for (const bytes of ['\0\0\0\0\r\n\r\n', 'GET / HTTP/3.0\r\n\r\n', smuggled]) {
    t.match(await send(bytes, /\r\n\r\n/), /^HTTP\/1.1 (400|505) /, JSON.stringify(bytes))
  }
  t.equal((await call('/v1/me')).status, 200)
})

t.test('names that differ after their escapes are read are different names', (t) => {
  const signs = ['\\n', '\\t', '\\r', '\\b', '\\f', '\\/', '\\\\', '\\"']
  const name = (n: number) => [0, 3, 6, 9, 12, 15].map((shift) => signs[(n >> shift) & 7]).join('')
  const objects = Array.from({ length: 40 }, (_, at) => {
    const properties = Array.from({ length: 1000 }, (_, n) => `"${name(at * 1000 + n)}":1`)
    return `{${properties.join(',')}}`
  })
  t.match(parseJson(Buffer.from(`{"a":[${objects.join(',')}]}`)), { violations: [{ code: 'too_many' }] })
  t.match(parseJson(Buffer.from('{"\\"":"\\\\","a\\\\":[1]}')), { value: { '"': '\\', 'a\\': [1] } })
  t.end()
})

t.test('a large body has no more values than one of a megabyte', (t) => {
  const listed = (count: number) => Buffer.from(`{"a":[${Array(count).fill('[]').join(',')}]}`)
  t.match(parseJson(listed(550_001)), {
    violations: [{ path: '', code: 'too_many', message: 'must not hold more than 550000 values' }],
  })
  t.match(parseJson(listed(340_000)), { value: { a: Array } }, 'a megabyte of them')
  t.match(parseJson(Buffer.from(`{"a":"${','.repeat(600_000)}"}`)), { value: { a: /^,+$/ } })
  t.end()
})

t.test('a refusal of a query names some of its violations', async (t) => {
  const { call } = await startTestServer(t)
  const { status, body } = await call(`/health?${'a&'.repeat(1500)}`, { token: null })
  t.equal(status, 400)
  t.ok(body.error.details.violations.length <= 200)
})

import { createHash } from 'node:crypto'
import t from 'tap'
import { startTestServer, violations, windows } from './test_server.ts'

const webhook = { name: 'Orders', url: 'https://example.com/hook', events: ['whatsapp.message.received'] }

t.test('the key goes to the project with a hash of the whole request', async (t) => {
  const { call, asked } = await startTestServer(t)
  const headers = { 'idempotency-key': 'order 1042' }
  const test = (id: string, event_type: string) =>
    call(`/v1/webhooks/wh_00000000000000000000000${id}/test`, { method: 'POST', headers, json: { event_type } })
  await call('/v1/webhooks', { method: 'POST', json: webhook, headers })
  await test('1', 'whatsapp.message.sent')
  await test('1', 'whatsapp.message.sent')
  await test('2', 'whatsapp.message.sent')
  await test('1', 'whatsapp.message.read')
  const [create, first, again, other, changed] = asked.map(({ idempotency }) => idempotency)
  const hash = /^[0-9a-f]{64}$/
  t.match(create, { route: 'POST /v1/webhooks', key: 'order 1042', body_hash: hash, value_hash: hash })
  t.equal(first?.route, 'POST /v1/webhooks/:id/test')
  t.strictSame(again, first)
  t.not(other?.body_hash, first?.body_hash, 'another record')
  t.not(changed?.body_hash, first?.body_hash, 'another body')
  t.not(other?.value_hash, first?.value_hash, 'another record')
  t.not(changed?.value_hash, first?.value_hash, 'another body')
})

const SAME = [
  '{"name":"Añil","url":"https://example.com/hook","events":["whatsapp.message.received"]}',
  '{ "events": [ "whatsapp.message.received" ],\n "url": "https:\\/\\/example.com\\/hook", "name": "A\\u00f1il" }',
]
const OTHERS = [
  SAME[0]!.replace('Añil', 'Anil'),
  SAME[0]!.replace('received"', 'received","whatsapp.message.sent"'),
  SAME[0]!.replace('"name"', '"is_active":true,"name"'),
  SAME[0]!.replace('received"', 'sent","whatsapp.message.received"'),
]

t.test(
  'bodies of the same JSON value are the same request, and the hash of their bytes is that of former releases',
  async (t) => {
    const { call, asked } = await startTestServer(t)
    const headers = { 'idempotency-key': 'k', 'content-type': 'application/json' }
    for (const body of [...SAME, ...OTHERS]) await call('/v1/webhooks', { method: 'POST', raw: body, headers })
    const keys = asked.map(({ idempotency }) => idempotency)
    t.equal(keys.length, SAME.length + OTHERS.length)
    t.equal(keys[0]?.value_hash, keys[1]?.value_hash)
    t.equal(new Set(keys.map((key) => key?.value_hash)).size, 1 + OTHERS.length, 'lists have an order')
    for (const [at, body] of SAME.entries()) {
      const former = createHash('sha256').update('/v1/webhooks?\n').update(body).digest('hex')
      t.equal(keys[at]?.body_hash, former)
    }
  },
)

t.test('only a POST under /v1 takes keys', async (t) => {
  const { call, asked } = await startTestServer(t)
  const headers = { 'idempotency-key': 'k' }
  await call('/v1/me', { headers })
  await call('/v1/webhooks/wh_000000000000000000000001', { method: 'PATCH', json: {}, headers })
  await call('/v1/webhooks', { method: 'POST', json: webhook })
  t.strictSame(
    asked.map(({ idempotency }) => idempotency),
    [undefined, undefined, undefined],
  )
})

t.test('a key has 1 to 255 printable characters', async (t) => {
  const { call } = await startTestServer(t)
  for (const [key, status] of [
    ['', 400],
    ['x'.repeat(256), 400],
    ['ü', 400],
    ['x'.repeat(255), 201],
    ['~ !', 201],
  ] as const) {
    const answer = await call('/v1/webhooks', { method: 'POST', json: webhook, headers: { 'idempotency-key': key } })
    t.equal(answer.status, status, key)
    if (status === 400) t.strictSame(violations(answer), ['Idempotency-Key invalid_format'])
  }
})

t.test('a replayed answer is marked and passed on as stored', async (t) => {
  const { call } = await startTestServer(t, {
    project: () => ({
      admission: { ok: true, windows },
      result: { status: 201, json: '{"id":  "wh_1"}', replayed: true },
    }),
  })
  const answer = await call('/v1/webhooks', { method: 'POST', json: webhook, headers: { 'idempotency-key': 'k' } })
  t.match(answer, { status: 201, text: '{"id":  "wh_1"}', headers: { 'idempotent-replayed': 'true' } })
})

t.test('errors of the command keep their code, text and details', async (t) => {
  const { call } = await startTestServer(t, {
    project: () => ({
      admission: { ok: true, windows },
      result: { error: { code: 'IDEMPOTENCY_KEY_REUSED', details: { first: 1 } } },
    }),
  })
  const answer = await call('/v1/webhooks', { method: 'POST', json: webhook, headers: { 'idempotency-key': 'k' } })
  t.equal(answer.status, 422)
  t.match(answer.body.error, {
    code: 'IDEMPOTENCY_KEY_REUSED',
    message: /used for a different request/,
    details: { first: 1 },
  })
  t.equal(answer.headers['x-ratelimit-limit-day'], '1000')
})

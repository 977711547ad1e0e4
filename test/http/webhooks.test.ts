import t from 'tap'
import { eventTypes } from '../../actors/mod.ts'
import { storeDelivery, storeSubscription, storeTenant } from '../storage/records.ts'
import { startTestServer, violations } from './test_server.ts'

const valid = { name: 'Orders', url: 'https://example.com/hook', events: ['whatsapp.message.received'] }
const known = 'wh_66f2a0c1d4e5f60718293a4b'

t.test('creation and change reach the project', async (t) => {
  const { call, asked } = await startTestServer(t)
  const post = (json: object) => call('/v1/webhooks', { method: 'POST', json })
  t.equal((await post(valid)).status, 201)
  t.strictSame(asked.at(-1)?.command, {
    type: 'create_webhook',
    ...valid,
    headers: {},
    is_active: true,
    mode: 'push',
    ordering: 'none',
    concurrency: 8,
    payload: 'full',
    format: 'standard',
    ed25519: false,
    disable_on_410: false,
  })
  const full = {
    ...valid,
    headers: { Authorization: 'Bearer x', 'X-Mine': 'a\tb' },
    is_active: false,
    mode: 'push',
    ordering: 'contact',
    concurrency: 1,
    payload: 'thin',
    format: 'cloudevents',
    ed25519: true,
    disable_on_410: true,
  }
  t.equal((await post(full)).status, 201)
  t.strictSame(asked.at(-1)?.command, { type: 'create_webhook', ...full })

  const patch = (json: object) => call(`/v1/webhooks/${known}`, { method: 'PATCH', json })
  for (const json of [
    {},
    { is_active: true },
    { headers: {} },
    { name: 'New', url: 'https://a.example', events: ['web.message.read'] },
  ]) {
    t.equal((await patch(json)).status, 200)
    t.strictSame(asked.at(-1)?.command, { type: 'update_webhook', id: known, patch: json })
  }
  t.equal((await call(`/v1/webhooks/${known}`, { method: 'DELETE' })).status, 204)
  t.strictSame(asked.at(-1)?.command, { type: 'delete_webhook', id: known })
  t.equal((await call(`/v1/webhooks/${known}/rotate-secret`, { method: 'POST' })).status, 200)
  t.strictSame(asked.at(-1)?.command, { type: 'rotate_webhook_secret', id: known })
  const graceful = { method: 'POST', json: { grace_s: 60 } }
  t.equal((await call(`/v1/webhooks/${known}/rotate-secret`, graceful)).status, 200)
  t.strictSame(asked.at(-1)?.command, { type: 'rotate_webhook_secret', id: known, grace_s: 60 })
  const tested = await call(`/v1/webhooks/${known}/test`, {
    method: 'POST',
    json: { event_type: 'whatsapp.message.sent' },
  })
  t.equal(tested.status, 202)
  t.strictSame(asked.at(-1)?.command, { type: 'test_webhook', id: known, event_type: 'whatsapp.message.sent' })
  t.ok(asked.every(({ scope }) => scope === 'webhooks:manage'))
})

t.test('an invalid subscription is refused', async (t) => {
  const { call } = await startTestServer(t)
  const cases: [object, string[]][] = [
    [{ name: undefined, url: undefined, events: undefined }, ['name required', 'events required', 'url required']],
    [{ name: 'ab' }, ['name too_short']],
    [{ name: 'x'.repeat(121) }, ['name too_long']],
    [{ url: 'http://example.com' }, ['url invalid_value']],
    [{ url: 'ftp://example.com' }, ['url invalid_value']],
    [{ url: 'example.com/hook' }, ['url invalid_value']],
    [{ url: 'https://' }, ['url invalid_value']],
    [{ url: 'https://user:secret@example.com' }, ['url invalid_value']],
    [{ url: 'https://exa\nmple.com' }, ['url invalid_value']],
    [{ url: 'https://example.com/a b' }, ['url invalid_value']],
    [{ url: 'https:\\\\example.com' }, ['url invalid_value']],
    [{ url: `https://example.com/${'x'.repeat(2030)}` }, ['url too_long']],
    [{ events: [] }, ['events too_short']],
    [{ events: 'whatsapp.message.received' }, ['events invalid_type']],
    [
      { events: ['whatsapp.message.lost', 'web.message.read', 'web.message.read'] },
      ['events.0 invalid_value', 'events.2 duplicate'],
    ],
    [{ events: ['whatsapp*'] }, ['events.0 invalid_value']],
    [{ headers: [] }, ['headers invalid_type']],
    [{ headers: { a: 1 } }, ['headers.a invalid_type']],
    [{ headers: { 'a b': 'x', '': 'y' } }, ['headers.a b invalid_value', 'headers. invalid_value']],
    [{ headers: { a: 'x\r\nHost: evil' } }, ['headers.a invalid_value']],
    [{ headers: { a: 'x\ny', b: 'ü' } }, ['headers.a invalid_value', 'headers.b invalid_value']],
    [{ headers: { Accept: '1', accept: '2' } }, ['headers.accept invalid_value']],
    [{ headers: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`h${i}`, ''])) }, ['headers invalid_value']],
    [{ is_active: 'true' }, ['is_active invalid_type']],
    [{ secret: 'x', company: 'y' }, ['secret unknown_property', 'company unknown_property']],
  ]
  for (const [change, expected] of cases) {
    const answer = await call('/v1/webhooks', { method: 'POST', json: { ...valid, ...change } })
    t.equal(answer.status, 400, JSON.stringify(change).slice(0, 100))
    t.strictSame(violations(answer), expected, JSON.stringify(change).slice(0, 100))
  }
  const forbidden = [
    'Host',
    'content-length',
    'Transfer-Encoding',
    'connection',
    'X-Svc-Signature',
    'x-svc-event',
    'webhook-id',
    'User-Agent',
    'Content-Type',
  ]
  for (const name of forbidden) {
    const answer = await call('/v1/webhooks', { method: 'POST', json: { ...valid, headers: { [name]: 'x' } } })
    t.strictSame(violations(answer), [`headers.${name} invalid_value`])
  }
  t.strictSame(violations(await call(`/v1/webhooks/${known}`, { method: 'PATCH', json: { name: null, x: 1 } })), [
    'x unknown_property',
    'name invalid_type',
  ])
  t.strictSame(violations(await call(`/v1/webhooks/${known}/test`, { method: 'POST', json: { event_type: 'x' } })), [
    'event_type invalid_value',
  ])
  t.equal(
    (await call('/v1/webhooks/garbage', { method: 'PATCH', json: { x: 1 } })).status,
    400,
    'form before existence',
  )
  t.equal((await call('/v1/webhooks/garbage', { method: 'PATCH', json: {} })).status, 404)
})

t.test('plain HTTP is accepted where the guard allows it', async (t) => {
  const seen: string[] = []
  const allow_url = (url: string) => {
    seen.push(url)
    return url.startsWith('http://127.0.0.1')
  }
  const { call } = await startTestServer(t, { hooks: { allow_url } })
  const post = (url: string) => call('/v1/webhooks', { method: 'POST', json: { ...valid, url } })
  t.equal((await post('http://127.0.0.1:9000/hook')).status, 201)
  t.equal((await post('http://example.com/hook')).status, 400)
  t.equal((await post('ftp://127.0.0.1/hook')).status, 400)
  t.strictSame(seen, ['http://127.0.0.1:9000/hook', 'http://example.com/hook'])
})

t.test('reading subscriptions and deliveries', async (t) => {
  const { call, database, tenant, asked } = await startTestServer(t)
  const foreign = await storeTenant(database)
  const mine = await storeSubscription(database, tenant.project)
  const theirs = await storeSubscription(database, foreign.project)
  const gone = await storeSubscription(database, tenant.project, { deleted_at: new Date() })
  const first = await storeDelivery(database, mine)
  const second = await storeDelivery(database, mine, { status: 'dead' })

  const list = await call('/v1/webhooks')
  t.match(list, {
    status: 200,
    body: { data: [{ id: mine.id, headers: { 'x-key': '[redacted]' }, failure_count: 0 }] },
  })
  t.equal(list.body.data.length, 1)
  t.notMatch(list.text, /"secret"|whsec_x/)
  t.match(await call(`/v1/webhooks/${mine.id}`), { status: 200, body: { id: mine.id } })
  for (const { id } of [theirs, gone]) {
    for (const path of [`/v1/webhooks/${id}`, `/v1/webhooks/${id}/deliveries`]) {
      t.match(await call(path), { status: 404, body: { error: { code: 'WEBHOOK_NOT_FOUND' } } })
    }
  }
  const deliveries = `/v1/webhooks/${mine.id}/deliveries`
  t.match((await call(deliveries)).body, { data: [{ id: second.id }, { id: first.id }], next_cursor: null })
  t.match((await call(`${deliveries}?status=pending`)).body.data, [{ id: first.id, event_id: first.event_id }])
  t.equal((await call(`${deliveries}?limit=1`)).body.next_cursor, second.id)
  t.match((await call(`${deliveries}?limit=1&cursor=${second.id}`)).body, {
    data: [{ id: first.id }],
    next_cursor: null,
  })
  t.strictSame(violations(await call(`${deliveries}?limit=0&status=x&cursor=${mine.id}`)), [
    'status invalid_value',
    'limit too_small',
    'cursor invalid_format',
  ])
  t.ok(asked.every(({ scope, command }) => scope === 'webhooks:read' && command === undefined))
})

t.test('the catalogue of events', async (t) => {
  const { call } = await startTestServer(t)
  const { status, body } = await call('/v1/webhooks/event-types')
  t.equal(status, 200)
  t.strictSame(body.data, JSON.parse(JSON.stringify(eventTypes)))
  t.equal(new Set(body.data.map(({ type }: { type: string }) => type)).size, body.data.length)
  for (const { type, schema, example } of body.data) {
    for (const name of schema.required) t.ok(name in example, `${type}: the example has ${name}`)
  }
})

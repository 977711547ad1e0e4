/**
 * Webhooks as their receivers and owners see them. One file, because all tests watch the calls of one node at one sink,
 * and most are too short for a node of their own.
 */
import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { verifyWebhook } from '../../http/client/mod.ts'
import { eventually, type Json, patiently } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'
import type { Received } from './sink.ts'

// An attempt on a busy machine may take as long as the usual limit of tests.
const world = await joinWorld(t)
const { sink } = world

const RECEIVED = 'whatsapp.message.received'

/** Checks the X-Svc-Signature as a receiver would, from the documentation alone. */
function isSigned({ headers, raw }: Received, secret: string): boolean {
  const { t: time, v1 } = Object.fromEntries(headers['x-svc-signature']!.split(',').map((part) => part.split('=')))
  return v1 === createHmac('sha256', secret).update(`${time}.${raw}`).digest('hex')
}

function calls(path: string, count: number): Promise<Received[]> {
  return eventually(`${count} calls to ${path}`, () => sink.calls(path).length >= count && sink.calls(path))
}

/** Returns the deliveries of a subscription as soon as none of them is to be tried again. */
function settled(tenant: Tenant, id: string, count: number, patience_ms?: number): Promise<Json[]> {
  return eventually(
    `${count} settled deliveries`,
    async () => {
      const all = await tenant.deliveries(id)
      return all.length === count && all.every(({ next_attempt_at }) => next_attempt_at === null) && all
    },
    patience_ms,
  )
}

t.test('every subscription that listens gets each event once, signed both ways', async (t) => {
  const tenant = await makeTenant(world)
  const headers = { 'X-Tenant': 'blue', Authorization: 'Bearer theirs' }
  const first = await tenant.subscribe('both-1', [RECEIVED], { headers })
  const second = await tenant.subscribe('both-2', [RECEIVED, 'whatsapp.message.sent'])
  await tenant.subscribe('both-3', ['whatsapp.message.failed'])
  const answers = await Promise.all(['a', 'b', 'c'].map((body) => tenant.writes('+15557100001', body)))
  t.ok(answers.every(({ webhook }) => webhook.status === 200))
  for (const [path, { id, secret }] of [
    ['both-1', first],
    ['both-2', second],
  ] as const) {
    const all = await settled(tenant, id, 3)
    for (const one of all) {
      t.match(one, { status: 'success', status_code: 200, attempts: 1, last_error: null, event_type: RECEIVED })
      t.ok(one.delivered_at)
    }
    t.equal(sink.calls(path).length, 3)
    t.same(new Set(sink.calls(path).map(({ body }) => body.id)), new Set(all.map(({ event_id }) => event_id)))
    for (const call of sink.calls(path)) {
      t.ok(isSigned(call, secret), 'X-Svc-Signature')
      t.same(new Webhook(secret).verify(call.raw, call.headers), call.body, 'Standard Webhooks')
      t.same(await verifyWebhook(call.raw, call.headers, { secret }), call.body, 'the client')
      t.match(call.headers, {
        'x-svc-event': RECEIVED,
        'x-svc-attempt': '1',
        'x-svc-delivery': /^dlv_/,
        'webhook-id': call.body.id,
        'content-type': 'application/json',
      })
      t.match(call.body, { id: /^evt_/, type: RECEIVED, created_at: String, project_id: tenant.project_id })
      t.match(call.body.data, { messaging_product: 'whatsapp', messages: [{ text: { body: /^[abc]$/ } }] })
      t.match(call.body.data, { message_id: /^msg_/, channel_id: tenant.number.channel_id, chat_user: String })
    }
  }
  t.match(sink.calls('both-1')[0]!.headers, { 'x-tenant': 'blue', authorization: 'Bearer theirs' })
  t.equal(sink.calls('both-3').length, 0)
  const shown = await tenant.client.webhooks.get(first.id)
  t.ok(shown.last_delivery_at)
  t.equal(shown.last_error, null)
  t.notOk('secret' in shown)
})

const outcomes: { what: string; answers: (number | 'hang' | 'reset')[]; expected: Json }[] = [
  { what: 'a 4xx is final', answers: [404], expected: { status: 'failed', attempts: 1, last_error: 'http_404' } },
  { what: 'a 410 is final', answers: [410], expected: { status: 'failed', attempts: 1, last_error: 'http_410' } },
  { what: 'a 408 is tried again', answers: [408, 200], expected: { status: 'success', attempts: 2, last_error: null } },
  { what: 'a 429 is tried again', answers: [429, 204], expected: { status: 'success', attempts: 2, status_code: 204 } },
  { what: 'a 5xx is tried again', answers: [500, 503, 201], expected: { status: 'success', attempts: 3 } },
  { what: 'a cut connection is tried again', answers: ['reset', 200], expected: { status: 'success', attempts: 2 } },
  { what: 'no answer in time is tried again', answers: ['hang', 200], expected: { status: 'success', attempts: 2 } },
  {
    what: 'five failures are the end',
    answers: [500, 502, 500, 502, 503],
    expected: { status: 'dead', attempts: 5, status_code: 503, last_error: 'http_503', delivered_at: null },
  },
]

t.test('the answer of a receiver decides the fate of a delivery', async (t) => {
  const tenant = await makeTenant(world)
  await Promise.all(
    outcomes.map(async ({ what, answers, expected }, index) => {
      const path = `outcome-${index}`
      sink.answer(path, (_, count) => answers[count] ?? 200)
      const { id, secret } = await tenant.subscribe(path, ['whatsapp.message.delivered'])
      await tenant.api('POST', `webhooks/${id}/test`, { event_type: 'whatsapp.message.delivered' })
      const [delivery] = await settled(tenant, id, 1)
      t.test(what, async (t) => {
        t.match(delivery, expected)
        const { last_error } = await tenant.client.webhooks.get(id)
        t.equal(last_error, delivery!.last_error, 'the subscription tells how its last attempt ended')
        const made = sink.calls(path)
        t.equal(made.length, answers.length, 'attempts that arrived')
        t.same(
          made.map(({ headers }) => headers['x-svc-attempt']),
          answers.map((_, n) => String(n + 1)),
        )
        t.equal(new Set(made.map(({ headers }) => headers['webhook-id'])).size, 1, 'one event id')
        t.equal(new Set(made.map(({ raw }) => raw)).size, 1, 'the same bytes')
        for (const call of made) t.ok(isSigned(call, secret))
      })
    }),
  )
})

t.test('a redirect is not followed, and tried again', async (t) => {
  const tenant = await makeTenant(world)
  const location = sink.url('redirected')
  sink.answer('redirect', (_, count) => (count === 0 ? { status: 307, headers: { location } } : 200))
  const { id } = await tenant.subscribe('redirect', [RECEIVED])
  await tenant.writes('+15557100002', 'Hi')
  const [delivery] = await settled(tenant, id, 1)
  t.match(delivery, { status: 'success', attempts: 2 })
  t.equal(sink.calls('redirected').length, 0)
})

t.test('Retry-After is the least wait, and a waiting delivery shows as failed with its next attempt', async (t) => {
  const tenant = await makeTenant(world)
  let is_seen = false
  sink.answer('patience', () => (is_seen ? 200 : { status: 503, headers: { 'retry-after': '2' } }))
  const { id } = await tenant.subscribe('patience', [RECEIVED])
  await tenant.writes('+15557100003', 'Hi')
  const waiting = await eventually('the wait', async () => {
    const [one] = await tenant.deliveries(id, '&status=failed')
    return one
  })
  is_seen = true
  t.match(waiting, { status: 'failed', status_code: 503, last_error: 'http_503' })
  // A busy machine may see a later wait than the first.
  const tried = sink.calls('patience')[waiting.attempts - 1]
  t.ok(Date.parse(waiting.next_attempt_at) >= tried!.at + 1900, 'not before two seconds')
  await settled(tenant, id, 1)
  const [first, second] = sink.calls('patience')
  t.ok(second!.at - first!.at >= 1900, 'the second attempt keeps the wait')
})

t.test('a test event goes out whatever the subscription listens to, even inactive, and never counts', async (t) => {
  const tenant = await makeTenant(world)
  sink.answer('tests', () => 500)
  const { id } = await tenant.subscribe('tests', [RECEIVED], { is_active: false })
  const body = await tenant.client.webhooks.test(id, { event_type: 'whatsapp.message.read' })
  t.match(body, { accepted: true, event_id: /^evt_/ })
  const [delivery] = await settled(tenant, id, 1)
  t.match(delivery, { status: 'dead', attempts: 5, is_test: true, event_id: body.event_id })
  t.match(sink.calls('tests')[0]!.body, { id: body.event_id, type: 'whatsapp.message.read', data: { _test: true } })
  t.match(await tenant.client.webhooks.get(id), { failure_count: 0, is_active: false })
})

t.test('an inactive subscription gets nothing, and gets what comes after it is active again', async (t) => {
  const tenant = await makeTenant(world)
  const { id } = await tenant.subscribe('asleep', [RECEIVED], { is_active: false })
  await tenant.writes('+15557100004', 'unheard')
  t.match(await tenant.client.webhooks.update(id, { is_active: true }), { is_active: true })
  await tenant.writes('+15557100004', 'heard')
  const [call] = await calls('asleep', 1)
  t.equal(call!.body.data.messages[0].text.body, 'heard')
  t.equal((await tenant.deliveries(id)).length, 1)
})

t.test('undelivered events of a subscription that is switched off end as subscription_disabled', async (t) => {
  const tenant = await makeTenant(world)
  sink.answer('off', () => ({ status: 503, headers: { 'retry-after': '600' } }))
  const { id } = await tenant.subscribe('off', [RECEIVED])
  for (let i = 0; i < 5; i++) await tenant.writes('+15557100005', `message ${i}`)
  // The first answer holds back the other deliveries.
  await eventually('one tried, all waiting', async () => {
    const all = await tenant.deliveries(id)
    return all.length === 5 && all.some(({ attempts }) => attempts === 1)
  })
  await tenant.api('PATCH', `webhooks/${id}`, { is_active: false })
  const all = await settled(tenant, id, 5)
  for (const one of all) t.match(one, { status: 'failed', last_error: 'subscription_disabled' })
  t.equal(sink.calls('off').length, all.filter(({ attempts }) => attempts === 1).length)
})

t.test('a new secret signs from the moment of the answer', async (t) => {
  const tenant = await makeTenant(world)
  const { id, secret } = await tenant.subscribe('rotating', [RECEIVED])
  await tenant.writes('+15557100007', 'before')
  await calls('rotating', 1)
  const body = await tenant.client.webhooks.rotateSecret(id)
  t.match(body, { id, secret: /^whsec_/, secret_prefix: body.secret.slice(0, 12) })
  t.not(body.secret, secret)
  await tenant.writes('+15557100007', 'after')
  const [before, after] = await calls('rotating', 2)
  t.ok(isSigned(before!, secret))
  t.ok(isSigned(after!, body.secret))
  t.notOk(isSigned(after!, secret))
  t.same(new Webhook(body.secret).verify(after!.raw, after!.headers), after!.body)
})

t.test('a change of address, events and headers holds for the next event and keeps the secret', async (t) => {
  const tenant = await makeTenant(world)
  const { id, secret } = await tenant.subscribe('moving-1', ['whatsapp.message.sent'], { headers: { 'X-Old': '1' } })
  const change = { url: sink.url('moving-2'), events: [RECEIVED], headers: { 'X-New': '2' }, name: 'Moved' }
  const { status, body } = await tenant.api('PATCH', `webhooks/${id}`, change)
  t.equal(status, 200)
  t.match(body, { ...change, secret_prefix: secret.slice(0, 12) })
  await tenant.writes('+15557100008', 'Hi')
  const [call] = await calls('moving-2', 1)
  t.ok(isSigned(call!, secret))
  t.equal(call!.headers['x-new'], '2')
  t.notOk(call!.headers['x-old'])
  t.equal(sink.calls('moving-1').length, 0)
})

t.test('a deleted subscription is not found, and gets nothing more', async (t) => {
  const tenant = await makeTenant(world)
  const later = { status: 503, headers: { 'retry-after': '3' } }
  sink.answer('gone', () => later)
  const { id } = await tenant.subscribe('gone', [RECEIVED])
  await tenant.writes('+15557100009', 'Hi')
  await eventually('an attempt', async () => (await tenant.deliveries(id, '&status=failed')).length === 1)
  t.equal((await tenant.api('DELETE', `webhooks/${id}`)).status, 204)
  const before = sink.calls('gone').length
  await tenant.writes('+15557100009', 'Anybody?')
  for (const [method, path] of [
    ['GET', `webhooks/${id}`],
    ['GET', `webhooks/${id}/deliveries`],
    ['DELETE', `webhooks/${id}`],
    ['POST', `webhooks/${id}/rotate-secret`],
  ] as const) {
    const { status, body } = await tenant.api(method, path)
    t.equal(status, 404, `${method} ${path}`)
    t.equal(body.error.code, 'WEBHOOK_NOT_FOUND')
  }
  t.same((await tenant.api('GET', 'webhooks')).body.data, [])
  // It tries again later than the deleted one would have.
  sink.answer('stays', (_, count) => (count === 0 ? later : 200))
  const other = await tenant.subscribe('stays', [RECEIVED])
  await tenant.writes('+15557100009', 'Anybody else?')
  t.match(await settled(tenant, other.id, 1), [{ status: 'success', attempts: 2 }])
  t.equal(sink.calls('gone').length, before)
})

t.test('deliveries are listed newest first, page by page, and by status', async (t) => {
  const tenant = await makeTenant(world)
  sink.answer('paged', ({ body }) => (body.data.messages[0].text.body.startsWith('bad') ? 400 : 200))
  const { id } = await tenant.subscribe('paged', [RECEIVED])
  for (let i = 0; i < 5; i++) await tenant.writes('+15557100010', `${i % 2 ? 'bad' : 'good'} ${i}`)
  const all = await settled(tenant, id, 5)
  t.same(
    all.map((one) => one.id),
    all
      .map((one) => one.id)
      .toSorted()
      .reverse(),
  )
  const paged: Json[] = []
  for (let cursor = ''; ; ) {
    const { body } = await tenant.api('GET', `webhooks/${id}/deliveries?limit=2${cursor}`)
    paged.push(...body.data)
    if (body.next_cursor === null) break
    cursor = `&cursor=${body.next_cursor}`
  }
  t.same(paged, all)
  t.equal((await tenant.deliveries(id, '&status=failed')).length, 2)
  t.equal((await tenant.deliveries(id, '&status=success')).length, 3)
  t.equal((await tenant.deliveries(id, '&status=dead')).length, 0)
})

t.test('a receiver that hangs delays nobody else', async (t) => {
  const tenant = await makeTenant(world)
  sink.answer('hanging', () => 'hang')
  const hanging = await tenant.subscribe('hanging', [RECEIVED])
  const quick = await tenant.subscribe('quick', [RECEIVED])
  for (let i = 0; i < 30; i++) await tenant.writes('+15557100011', `message ${i}`)
  await settled(tenant, quick.id, 30)
  t.equal((await tenant.deliveries(hanging.id, '&status=dead')).length, 0, 'while the other still waits')
  t.equal((await tenant.deliveries(hanging.id, '&status=success')).length, 0)
})

t.test('a backlog larger than memory holds drains, each delivery once', async (t) => {
  const tenant = await makeTenant(world)
  let open = false
  sink.answer('backlog', () => (open ? 200 : { status: 503, headers: { 'retry-after': '1' } }))
  const { id } = await tenant.subscribe('backlog', [RECEIVED])
  const COUNT = 300
  const messages = Array.from({ length: COUNT }, (_, i) => `message ${i}`)
  for (let i = 0; i < COUNT; i += 50) {
    const said = messages.slice(i, i + 50).map((body, n) => ({ from: `1555720${1000 + n}`, text: { body } }))
    await made(patiently(() => callAsProvider(world, tenant.number, { messages: said })))
  }
  open = true
  const textOf = ({ body }: Received): string => body.data.messages[0].text.body
  await eventually('all have arrived', () => new Set(sink.calls('backlog').map(textOf)).size === COUNT)
  await eventually('all delivered', async () => {
    const counted = new Map<string, Json>()
    for (let cursor = ''; ; ) {
      const { body } = await tenant.api('GET', `webhooks/${id}/deliveries?limit=200&status=success${cursor}`)
      for (const one of body.data) counted.set(one.id, one)
      if (body.next_cursor === null) break
      cursor = `&cursor=${body.next_cursor}`
    }
    return counted.size === COUNT
  })
  const texts = sink.calls('backlog').map(textOf)
  t.same(new Set(texts), new Set(messages))
  const succeeded = new Map<string, number>()
  for (const { headers } of sink.calls('backlog')) {
    const attempt = `${headers['x-svc-delivery']} ${headers['x-svc-attempt']}`
    succeeded.set(attempt, (succeeded.get(attempt) ?? 0) + 1)
  }
  t.equal([...succeeded.values()].filter((count) => count > 1).length, 0, 'no attempt was made twice')
})

import t from 'tap'
import { fixture, NUMBER, PERSON, sentId } from './fixture.ts'
import { type Json, until } from './receiver.ts'

const OPEN = { window: { enforced: false } }

t.test('a rule strikes its matches, as often as it says', async (t) => {
  const { control, send, graph } = await fixture(t, OPEN)
  const rule = await control('POST', 'faults', {
    match: { recipient: '+1555111*', type: 'text' },
    error: { code: 131016, status: 503, retry_after: 2 },
    times: 2,
  })
  t.match(rule, { status: 201, body: { id: /^flt_/, hits: 0, times: 2 } })
  t.equal((await send('15552220000')).status, 200, 'another recipient')
  const image = { type: 'image', image: { link: 'https://example.com/a.jpg' } }
  t.equal((await send('15551110000', image)).status, 200, 'another type')
  const hit = await send('15551110000')
  t.match(hit, { status: 503, body: { error: { code: 131016 } } })
  t.equal(hit.headers.get('retry-after'), '2')
  t.equal((await send('15551110001')).status, 503)
  t.equal((await send('15551110001')).status, 200, 'used up')
  t.same((await control('GET', 'faults')).body.data, [])

  await control('POST', 'faults', { match: { operation: 'templates' }, error: { code: 4 } })
  t.equal((await graph('GET', `${NUMBER.business_account_id}/message_templates`)).status, 429)
  t.equal((await send(PERSON)).status, 200, 'sends go on')
  t.same((await control('DELETE', 'faults')).body, { removed: 1 })
})

t.test('resets, hangs, garbage, latency', async (t) => {
  const { control, send } = await fixture(t, OPEN)
  const one = async (effect: Json) => control('POST', 'faults', { ...effect, times: 1 })
  const total = async () => (await control('GET', 'sent')).body.total
  await one({ reset: true })
  await t.rejects(send(PERSON))
  t.equal(await total(), 0)
  await one({ reset: 'after' })
  await t.rejects(send(PERSON))
  t.equal(await total(), 1)
  await one({ hang: 'after' })
  const hung = send(PERSON).catch(() => 'cut')
  t.equal(await Promise.race([hung, new Promise((resolve) => setTimeout(resolve, 60, 'hanging'))]), 'hanging')
  await until('it is accepted', async () => (await total()) === 2)
  await one({ garbage: true })
  t.match(await send(PERSON), { status: 502, body: /<html>/ })
  await one({ latency_ms: 60 })
  const started = performance.now()
  t.equal((await send(PERSON)).status, 200)
  t.ok(performance.now() - started >= 55)
})

t.test('statuses by rule; several rules add up, the earlier one first', async (t) => {
  const { control, send, receiver } = await fixture(t, OPEN)
  await control('POST', 'faults', {
    match: { recipient: PERSON },
    statuses: { fail: { code: 131049, after: 'delivered' } },
  })
  await control('POST', 'faults', { statuses: { lose: true }, latency_ms: 1 })
  const failed = sentId(await send(PERSON))
  const lost = sentId(await send('15553330000'))
  await until('a failure', () => receiver.statusesOf(failed).length === 3)
  t.match(receiver.statusesOf(failed), [
    { status: 'sent' },
    { status: 'delivered' },
    { status: 'failed', errors: [{ code: 131049 }] },
  ])
  t.same(receiver.statusesOf(lost), [])
})

t.test('a rule with a rate strikes its share', async (t) => {
  let turn = 0
  const { control, send } = await fixture(t, { ...OPEN, random: () => [0.1, 0.6][turn++ % 2] as number })
  await control('POST', 'faults', { match: { rate: 0.5 }, error: { code: 131000 } })
  const statuses = []
  for (let sends = 0; sends < 4; sends += 1) statuses.push((await send(PERSON)).status)
  t.same(statuses, [500, 200, 500, 200])
})

t.test('a closed window fails later, a template passes, an inbound message opens it', async (t) => {
  let now = Date.now()
  const { control, send, receiver } = await fixture(t, { now: () => now })
  const outcome = async (fields: Json = {}) => {
    const reply = await send(PERSON, fields)
    t.equal(reply.status, 200, 'the send itself is accepted')
    await until('its last status', () =>
      receiver.statusesOf(sentId(reply)).some(({ status }) => /read|failed/.test(status)),
    )
    return receiver.statusesOf(sentId(reply)).at(-1)
  }
  const template = { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } }
  t.match(await outcome(), { status: 'failed', errors: [{ code: 131047 }] })
  t.match(await outcome(template), { status: 'read' })
  t.match(await outcome(), { status: 'failed' }, 'a template opens nothing')
  await control('POST', 'inbound', { channel: 'whatsapp', from: PERSON, message: 'Hi' })
  t.match(await outcome(), { status: 'read' })
  now += 24 * 3600 * 1000
  t.match(await outcome(), { status: 'failed' })
  await control('PUT', 'windows', { recipient: PERSON, open: true })
  t.match(await outcome(), { status: 'read' })
})

t.test('rate limits, when they are on', async (t) => {
  let now = Date.now()
  const { send } = await fixture(t, {
    ...OPEN,
    now: () => now,
    rate: { per_second: 50, pair: true },
    statuses: { enabled: false },
  })
  const send46 = async () => Promise.all(Array.from({ length: 46 }, () => send(PERSON)))
  const refused = (await send46()).filter(({ status }) => status === 429)
  t.match(refused, [{ body: { error: { code: 131056 } } }], 'the burst to one recipient is 45')
  t.equal(refused.length, 1)
  const rest = await Promise.all(Array.from({ length: 10 }, (_, index) => send(`1555444000${index}`)))
  t.match(
    rest.map(({ status }) => status).sort(),
    [200, 200, 200, 200, 200, 429, 429, 429, 429, 429],
    '50 a second per number',
  )
  t.match(rest.find(({ status }) => status === 429)?.body, { error: { code: 130429 } })
  now += 6000
  t.equal((await send(PERSON)).status, 200, 'one more after six seconds')
  t.equal((await send(PERSON)).body.error.code, 131056)
})

t.test('the control API lists sent messages', async (t) => {
  const { control, send } = await fixture(t, { ...OPEN, log: { sent: 4 }, statuses: { enabled: false } })
  for (let index = 0; index < 7; index += 1)
    await send(`1555777000${index}`, { biz_opaque_callback_data: `msg_${index >> 1}` })
  const all = (await control('GET', 'sent')).body
  t.equal(all.total, 7)
  t.same(
    all.data.map((each: Json) => each.recipient),
    ['15557770003', '15557770004', '15557770005', '15557770006'],
    'the log is bounded',
  )
  t.same(
    all.data.map((each: Json) => each.count),
    [1, 2, 2, 1],
    'repeats of the same opaque data are counted',
  )
  t.equal((await control('GET', `sent?recipient=%2B15557770005`)).body.count, 1)
  t.equal((await control('GET', `sent?recipient=+15557770005`)).body.count, 1)
  t.equal((await control('GET', `sent?after=${all.data[1].sequence}`)).body.count, 2)
  t.equal((await control('GET', `sent?since=${encodeURIComponent('2999-01-01T00:00:00Z')}`)).body.count, 0)
  t.same((await control('DELETE', 'sent')).body, { removed: 7 })
  t.equal((await control('GET', 'sent')).body.total, 0)
})

t.test('an invalid control request gets a sentence', async (t) => {
  const { control, url } = await fixture(t)
  const refusals: [string, string, Json, number, RegExp][] = [
    ['POST', 'faults', {}, 400, /needs an effect/],
    ['POST', 'faults', { latency: 5 }, 400, /no field "latency"/],
    ['POST', 'faults', { error: { code: 'x' } }, 400, /error.code/],
    ['POST', 'faults', { match: { rate: 2 }, reset: true }, 400, /match.rate/],
    ['POST', 'faults', { reset: 'sometimes' }, 400, /"before"/],
    ['POST', 'faults', { statuses: { fail: 7 } }, 400, /statuses.fail/],
    ['POST', 'inbound', { channel: 'pigeon' }, 400, /channel must be one of .*\bwhatsapp\b/],
    ['POST', 'inbound', { channel: 'whatsapp', message: 'x' }, 400, /from is missing/],
    ['POST', 'inbound', { channel: 'whatsapp', from: 'me', message: 'x' }, 400, /from must be/],
    [
      'POST',
      'inbound',
      { channel: 'whatsapp', from: PERSON, message: { type: 'image' } },
      400,
      /message.image is missing/,
    ],
    ['POST', 'inbound', { channel: 'whatsapp', from: PERSON, message: 'x', phone_number_id: '0' }, 404, /no number/],
    ['PUT', 'numbers', { phone_number_id: '9' }, 400, /display_phone_number is missing/],
    ['GET', 'sent?since=yesterday', undefined, 400, /ISO 8601/],
    ['GET', 'nothing', undefined, 404, /GET \/_control lists/],
    ['PATCH', 'faults', undefined, 405, /takes POST, GET, DELETE/],
  ]
  for (const [method, path, body, status, message] of refusals)
    t.match(
      await control(method, path, body),
      { status, body: { error: { code: /^[A-Z_]+$/, message } } },
      `${method} ${path}`,
    )
  const broken = await fetch(`${url}/_control/faults`, { method: 'POST', body: '{' })
  t.match(((await broken.json()) as Json).error.message, /not valid JSON/)
  t.match((await control('GET', '')).body, {
    accepted: 0,
    channels: { whatsapp: { numbers: [{ phone_number_id: NUMBER.phone_number_id }] } },
  })
  t.equal((await fetch(`${url}/`)).status, 404)
})

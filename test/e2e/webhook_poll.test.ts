/**
 * Subscriptions without an address: their receivers fetch the events, at least once and in order. One file: the tests share
 * a tenant and its requests.
 */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeSister, makeTenant } from './fixture.ts'
import { pollsOf, type Query } from './poll_client.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const RECEIVED = 'whatsapp.message.received'

const { poll, page, polled, write, arrived } = pollsOf(world, tenant)
const texts = ({ data }: Json): string[] => data.map(({ data }: Json) => data.messages[0].text.body)

t.test('events come in order with the envelope of deliveries, and a cursor acknowledges them', async (t) => {
  const pushed = await tenant.subscribe('poll-beside', [RECEIVED])
  const { id, url, ordering, secret_prefix } = await polled([RECEIVED])
  t.strictSame([url, ordering], [null, 'subscription'])
  t.match(secret_prefix, /^whsec_/)
  t.match(await page(id), { data: [], has_more: false, next_cursor: String })
  await write('one', 'two', 'three')
  await arrived(id, 3)
  const first = await page(id, { limit: 2 })
  t.strictSame([texts(first), first.has_more], [['one', 'two'], true])
  await eventually('all sent', () => world.sink.events('poll-beside').length === 3)
  t.strictSame(first.data, world.sink.events('poll-beside').slice(0, 2), 'the same envelopes')
  t.strictSame(await page(id, { limit: 2 }), first, 'nothing is acknowledged without a cursor')
  t.strictSame(
    (await tenant.deliveries(id)).map(({ status }) => status),
    ['pending', 'pending', 'pending'],
  )

  const second = await page(id, { cursor: first.next_cursor, limit: 2 })
  t.strictSame([texts(second), second.has_more], [['three'], false])
  t.strictSame(
    (await tenant.deliveries(id)).map(({ status }) => status),
    ['pending', 'success', 'success'],
  )
  t.strictSame(await page(id), second, 'without a cursor from what is not acknowledged')
  t.strictSame(await page(id, { cursor: first.next_cursor }), second, 'an answer that was lost comes again')

  const third = await page(id, { cursor: second.next_cursor })
  t.strictSame([third.data, third.has_more, third.next_cursor], [[], false, second.next_cursor])
  t.strictSame((await page(id)).data, [])
  const [delivery] = await tenant.deliveries(id)
  t.match(delivery, { status: 'success', attempts: 1, next_attempt_at: null, delivered_at: String, last_error: null })
  t.strictSame(texts(await page(id, { cursor: first.next_cursor })), ['three'], 'an older cursor reads again')
  await tenant.api('DELETE', `webhooks/${pushed.id}`)
})

t.test('the deliveries since a time are read again, and are not acknowledged anew', async (t) => {
  const { id } = await polled([RECEIVED])
  await write('old')
  await arrived(id, 1)
  const { next_cursor } = await page(id)
  await page(id, { cursor: next_cursor })
  const since = new Date(Date.now() - 3_600_000).toISOString()
  t.strictSame(texts(await page(id, { since })), ['old'])
  t.strictSame((await page(id, { since: new Date(Date.now() + 3_600_000).toISOString() })).data, [])
  t.strictSame((await page(id)).data, [])
})

t.test('a time to come counts as now: its cursor acknowledges nothing that happens later', async (t) => {
  const { id } = await polled([RECEIVED])
  const { next_cursor } = await page(id, { since: '2099-01-01T00:00:00Z' })
  await write('first')
  await arrived(id, 1)
  const first = await page(id, { cursor: next_cursor })
  t.strictSame(texts(first), ['first'])
  const later = await page(id, { since: '2099-01-01T00:00:00Z' })
  t.strictSame([later.data, later.next_cursor], [[], first.next_cursor])
})

t.test('deleted events are passed over without a wait', async (t) => {
  const { id } = await polled([RECEIVED])
  await write('one', 'two', 'three')
  await arrived(id, 3)
  const { data } = await page(id)
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  await database.execute(`delete from event where id in ('${data[0].id}', '${data[1].id}')`)
  const asked = performance.now()
  const empty = await page(id, { limit: 2, wait: 25 })
  t.strictSame([empty.data, empty.has_more], [[], true])
  t.ok(performance.now() - asked < 24_000, 'the next page is not empty, so there is nothing to wait for')
  t.strictSame(texts(await page(id, { cursor: empty.next_cursor, wait: 25 })), ['three'])
})

t.test('a test event is polled, also of a subscription that is switched off', async (t) => {
  const { id } = await polled([RECEIVED], { is_active: false })
  const { body } = await tenant.api('POST', `webhooks/${id}/test`, { event_type: 'crm.note.created' })
  const { data, next_cursor } = await page(id, { wait: 25 })
  t.match(data, [{ id: body.event_id, type: 'crm.note.created', data: { _test: true } }])
  await page(id, { cursor: next_cursor })
  t.match(await tenant.deliveries(id), [{ status: 'success', is_test: true }])
  t.strictSame((await page(id)).data, [], 'what is acknowledged does not come again')
})

t.test('a poll without a cursor begins behind everything that was acknowledged, tests and events mixed', async (t) => {
  const { id } = await polled([RECEIVED])
  const test = () => made(tenant.api('POST', `webhooks/${id}/test`, { event_type: RECEIVED }))
  const happen = { event: () => write('mixed'), test }
  let count = 0
  for (const kind of ['event', 'test', 'test', 'event', 'test'] as const) {
    await happen[kind]()
    await arrived(id, ++count)
    const { data, next_cursor } = await page(id)
    t.equal(data.length, 1, `after the ${kind}, nothing of before`)
    await page(id, { cursor: next_cursor })
    t.strictSame((await page(id)).data, [])
  }
})

t.test('subscriptions that are polled share one row of an event, and each acknowledges for itself', async (t) => {
  const beside = await makeSister(world, tenant)
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const subscribe = () => polled(['crm.contact.created'], {}, beside)
  const happen = async (name: string): Promise<void> => {
    await made(beside.api('POST', 'contacts', { channel_type: 'telegram', user_id: name, name }))
  }
  const fetch = (id: string, query: Query = {}): Promise<Json> => made(poll(id, query, beside.token))
  const names = ({ data }: Json): string[] => data.map(({ data }: Json) => data.name)
  const statuses = async (id: string) => (await beside.deliveries(id)).map(({ status }) => status)
  const first = await Promise.all(Array.from({ length: 20 }, subscribe))
  await happen('one')
  await happen('two')
  const [one, two] = first as [Json, Json]
  await eventually('two events', async () => (await fetch(one.id)).data.length === 2)
  const rows = await database.execute<{ count: number }>(
    `select count(*)::int as count from delivery where project_id = '${beside.project_id}'`,
  )
  t.strictSame(rows, [{ count: 2 }])

  const page = await fetch(one.id, { limit: 1 })
  t.strictSame(names(page), ['one'])
  t.strictSame(names(await fetch(one.id, { cursor: page.next_cursor })), ['two'])
  t.strictSame(await statuses(one.id), ['pending', 'success'])
  t.strictSame(await statuses(two.id), ['pending', 'pending'])
  t.strictSame(names(await fetch(two.id)), ['one', 'two'], 'another receiver has fetched nothing')
  for (const status of ['pending', 'success']) {
    const [found, ...others] = await beside.deliveries(one.id, `&status=${status}`)
    t.equal(found!.status, status)
    t.strictSame(others, [])
    t.match(await made(beside.api('GET', `webhooks/${one.id}/deliveries/${found!.id}`)), found!)
  }

  const late = await subscribe()
  await happen('three')
  await eventually('its first event', async () => (await fetch(late.id)).data.length === 1)
  t.strictSame(names(await fetch(late.id)), ['three'], 'events of before do not concern it')
  t.strictSame(names(await fetch(one.id)), ['two', 'three'], 'those of two groups come in order')

  await made(beside.api('PATCH', `webhooks/${two.id}`, { is_active: false }))
  await eventually('its end', async () => (await statuses(two.id)).every((status) => status === 'dead'))
  t.match(await beside.deliveries(two.id), [{ last_error: 'subscription_disabled', next_attempt_at: null }, {}, {}])
  await happen('four')
  await made(beside.api('PATCH', `webhooks/${two.id}`, { is_active: true }))
  await happen('five')
  await eventually('an event after that', async () => (await fetch(two.id)).data.length === 1)
  t.strictSame(names(await fetch(two.id)), ['five'])
  t.strictSame(await statuses(one.id), ['pending', 'pending', 'pending', 'pending', 'success'])
})

t.test('payload and format hold for polls, too', async (t) => {
  const thin = await polled([RECEIVED], { payload: 'thin' })
  const cloud = await polled([RECEIVED], { format: 'cloudevents' })
  await write('formed')
  await Promise.all([arrived(thin.id, 1), arrived(cloud.id, 1)])
  const [{ data, id }] = (await page(thin.id)).data
  t.strictSame(data, { event: `/v1/events/${id}`, record: data.record })
  t.match((await page(cloud.id)).data, [{ specversion: '1.0', id, time: String, data: { messages: [{}] } }])
})

t.test('what concerns an address is refused, and a pushed subscription is not polled', async (t) => {
  const { id } = await polled([RECEIVED])
  const pushed = await tenant.subscribe('poll-pushed', [RECEIVED])
  const code = async (answer: ReturnType<typeof poll>) => {
    const { status, body } = await answer
    return `${status} ${body.error.code}`
  }
  t.equal(await code(poll(pushed.id)), '409 WEBHOOK_PUSHED')
  for (const patch of [
    { url: 'https://example.com' },
    { headers: {} },
    { ordering: 'none' },
    { concurrency: 1 },
    { ed25519: true },
  ]) {
    t.equal(await code(tenant.api('PATCH', `webhooks/${id}`, patch)), '409 WEBHOOK_POLLED', JSON.stringify(patch))
  }
  await write('not again')
  await arrived(id, 1)
  const [delivery] = await tenant.deliveries(id)
  const redelivered = tenant.api('POST', `webhooks/${id}/deliveries/${delivery.id}/redeliver`)
  t.equal(await code(redelivered), '409 WEBHOOK_POLLED')
  const since = new Date(Date.now() - 60_000).toISOString()
  t.equal(await code(tenant.api('POST', `webhooks/${id}/recover`, { since })), '409 WEBHOOK_POLLED')
  t.match(await made(tenant.api('PATCH', `webhooks/${id}`, { name: 'Renamed', payload: 'thin' })), { name: 'Renamed' })

  const { next_cursor } = await page((await polled([RECEIVED])).id)
  for (const query of [
    { cursor: next_cursor },
    { cursor: 'x' },
    { cursor: `${next_cursor}=` },
    { limit: 201 },
    { wait: 26 },
    { cursor: next_cursor, since },
  ] as Query[]) {
    t.equal(await code(poll(id, query)), '400 VALIDATION_ERROR', JSON.stringify(query))
  }
  t.equal((await tenant.deliveries(id))[0]!.status, 'pending', 'the cursor of another acknowledges nothing')
})

t.test('polls draw on no rate limit', async (t) => {
  const limited = await makeTenant(world, { minute: 3, hour: 100, day: 100 })
  const { id } = await polled([RECEIVED], {}, limited)
  for (let n = 0; n < 5; n++) t.equal((await limited.api('GET', `webhooks/${id}/poll`)).status, 200)
})

t.test('polls draw on a budget of their own, which is exact, and on no other', async (t) => {
  const few = await makeTenant(world, { minute: 100, hour: 100, day: 100 })
  const { id } = await made(few.api('POST', 'webhooks', { name: 'Polled', mode: 'poll', events: [RECEIVED] }))
  const left = async () => Number((await few.api('GET', 'me')).headers['x-ratelimit-remaining-minute'])
  const before = await left()
  const answers = [await few.api('GET', `webhooks/${id}/poll`), await few.api('GET', `webhooks/${id}/poll?limit=0`)]
  t.same(
    answers.map(({ status, headers }) => [
      status,
      headers['x-ratelimit-limit-poll'],
      headers['x-ratelimit-remaining-poll'],
    ]),
    [
      [200, '6000', '5999'],
      [400, '6000', '5998'],
    ],
  )
  t.equal(answers[0]!.headers['x-ratelimit-limit-minute'], undefined)
  t.equal(await left(), before - 1, 'only the requests of the look itself count')
})

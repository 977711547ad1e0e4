import t from 'tap'
import { broadcastWhen, countsOf, ORDER, people, recipientsOf, sendBulk, sumOf } from './broadcast_client.ts'
import { eventually, type Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const { sink } = world

t.test('everybody gets the template once, and the counts move to the end', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('ended', ['messages.broadcast.completed', 'messages.broadcast.failed'])
  const recipients = people(250)
  const { status, body } = await tenant.api('POST', 'messages/bulk', { ...ORDER, recipients, campaign_name: 'Autumn' })
  t.equal(status, 202)
  t.match(body, { broadcast_id: /^brd_[0-9a-f]{24}$/, status: 'queued', total: 250 })
  t.same(Object.keys(body).sort(), ['broadcast_id', 'status', 'total', 'warnings'])
  const id = body.broadcast_id
  const seen: Json[] = []
  const record = await broadcastWhen(tenant, id, 'is read by all', (one) => {
    seen.push(one)
    return one.read_count === 250
  })
  t.match(record, {
    id,
    status: 'completed',
    campaign_name: 'Autumn',
    ...ORDER,
    channel_id: tenant.number.channel_id,
    total: 250,
  })
  t.same(Object.keys(record).sort(), FIELDS)
  t.ok(record.created_at <= record.started_at && record.started_at <= record.completed_at)
  for (const one of seen) t.equal(sumOf(one), 250, countsOf(one).join(' + '))
  const sent = await tenant.sent()
  t.same(sent.map(({ recipient }) => `+${recipient}`).sort(), recipients.map(({ phone }) => phone).sort())
  const listed = await recipientsOf(tenant, id)
  t.same(
    listed.map(({ index, phone, status, error }) => ({ index, phone, status, error })),
    recipients.map(({ phone }, index) => ({ index, phone, status: 'read', error: null })),
  )
  const one = listed[17]!
  const message = await tenant.message(one.message_id, 'read')
  t.match(message, { to: one.phone, type: 'template', message: { type: 'template', name: 'order_update' } })
  t.same(message.message.variables, { 1: 'Person 17', 2: 'A-17' })
  t.same((await recipientsOf(tenant, id, '&status=failed')).length, 0)
  const calls = await eventually('its event', () => sink.calls('ended').length > 0 && sink.calls('ended'))
  t.equal(calls.length, 1)
  t.match(calls[0]!.body, { type: 'messages.broadcast.completed', data: { id, status: 'completed', pending_count: 0 } })
})

t.test('a bulk send says who sent it, also after the agent is called otherwise', async (t) => {
  const tenant = await makeTenant(world)
  const sent_by_token = await sendBulk(tenant, people(1))
  const agent = await makeAgent(world, tenant, { full_name: 'Eva Luna' })
  const { call } = await signIn(world, agent)
  const path = `projects/${tenant.project_id}/messages/bulk`
  const { broadcast_id } = await made(call('POST', path, { json: { ...ORDER, recipients: people(1) } }))
  await made(world.operator('PATCH', `users/${agent._id}`, { full_name: 'Eva Sol' }))
  const named = async (id: string) => {
    const { user_id, sender_name } = (await tenant.api('GET', `messages/bulk/${id}`)).body
    return { user_id, sender_name }
  }
  t.same(await named(broadcast_id), { user_id: agent._id, sender_name: 'Eva Luna' })
  t.same(await named(sent_by_token), { user_id: null, sender_name: 'Token' })
  const { body } = await call('GET', path)
  t.same(
    body.data.map(({ sender_name }: Json) => sender_name),
    ['Eva Luna', 'Token'],
  )
})

t.test('recipients have the names of their contacts', async (t) => {
  const tenant = await makeTenant(world)
  const [known, unknown] = people(2)
  const { body: contact } = await tenant.api('POST', 'contacts', {
    ...{ channel_type: 'whatsapp', user_id: known!.phone.slice(1), name: 'Ana Torres' },
  })
  const id = await sendBulk(tenant, [known!, unknown!])
  await broadcastWhen(tenant, id, 'is over', ({ status }) => status === 'completed')
  const [ana, stranger] = await recipientsOf(tenant, id)
  t.match(ana, { phone: known!.phone, chat_user: contact._id, chat_user_name: 'Ana Torres' })
  const { chat_user } = await tenant.message(stranger!.message_id, 'sent', 'delivered', 'read')
  t.match(stranger, { phone: unknown!.phone, chat_user })
  const { text } = await tenant.api('GET', `messages/bulk/${id}/recipients.csv`)
  t.match(text, /^0,\+15552000000,.*,Ana Torres\r?$/m)
})

t.test('a search finds a part of the name of the campaign or of the template, in either case', async (t) => {
  const tenant = await makeTenant(world)
  const names = ['Autumn sale', '100% off', 'Opening']
  for (const campaign_name of names) await sendBulk(tenant, people(1), { campaign_name })
  const find = async (search: string) => {
    const { data } = (await tenant.api('GET', `messages/bulk?search=${encodeURIComponent(search)}`)).body
    return data.map((one: Json) => one.campaign_name)
  }
  t.same(await find('UMN S'), ['Autumn sale'])
  t.same(await find('0% o'), ['100% off'], 'a wildcard is a character like others')
  t.same(await find('_'), [...names].reverse(), 'all have the template order_update')
  t.same(await find('der_up'), [...names].reverse())
  t.same(await find('salex'), [])
  const first = (await tenant.api('GET', 'messages/bulk?search=order&limit=2')).body
  const next = (await tenant.api('GET', `messages/bulk?search=order&limit=2&cursor=${first.next_cursor}`)).body
  t.same([first.data.length, next.data.length, next.next_cursor], [2, 1, null])
  t.equal((await tenant.api('GET', `messages/bulk?search=${'x'.repeat(201)}`)).status, 400)
})

const FIELDS = [
  'campaign_name',
  'channel_id',
  'completed_at',
  'cost',
  'created_at',
  'delivered_count',
  'failed_count',
  'id',
  'language',
  'paused_reason',
  'pending_count',
  'read_count',
  'sender_name',
  'sent_count',
  'started_at',
  'status',
  'template_name',
  'total',
  'updated_at',
  'user_id',
]

t.test('a person named twice gets it twice, as one contact', async (t) => {
  const tenant = await makeTenant(world)
  const [one] = people(1)
  const id = await sendBulk(tenant, [one!, one!, one!])
  await broadcastWhen(tenant, id, 'is read', ({ read_count }) => read_count === 3)
  t.equal((await tenant.sent()).length, 3)
  const { data } = (await tenant.api('GET', 'messages')).body
  t.equal(new Set(data.map((message: Json) => message.chat_user)).size, 1)
})

t.test('a missing variable fails its recipient alone', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('some', ['messages.broadcast.completed', 'messages.broadcast.failed'])
  const [first, second, third] = people(3)
  const id = await sendBulk(tenant, [
    first!,
    { phone: second!.phone, variables: { 1: 'Ana' } },
    { phone: third!.phone },
  ])
  const record = await broadcastWhen(tenant, id, 'is read', ({ read_count }) => read_count === 1)
  t.same(countsOf(record), [0, 0, 0, 1, 2])
  t.equal(record.status, 'completed')
  const failed = await recipientsOf(tenant, id, '&status=failed')
  t.match(failed, [
    {
      index: 1,
      phone: second!.phone,
      message_id: null,
      error: { code: 'TEMPLATE_VARIABLE_MISSING', message: /: 2\.$/ },
    },
    {
      index: 2,
      phone: third!.phone,
      message_id: null,
      error: { code: 'TEMPLATE_VARIABLE_MISSING', message: /: 1, 2\.$/ },
    },
  ])
  t.equal((await tenant.sent()).length, 1)
})

t.test('a variable that is empty, not a text or too long fails its recipient alone', async (t) => {
  const tenant = await makeTenant(world)
  const [good, ...others] = people(7)
  const long = '💬'.repeat(4096)
  const bad: [object, string | RegExp][] = [
    [{ 1: 'Ana', 2: '' }, 'variables.2 must not be empty.'],
    [{ 1: 5, 2: 'A-1' }, 'variables.1 must be a string.'],
    [{ 1: 'Ana', 2: null }, 'variables.2 must be a string.'],
    [{ 1: 'Ana', 2: `${long}x` }, 'variables.2 must have at most 4096 characters.'],
    [{ 1: '', 2: [], extra: {} }, /^variables\.1 .*; variables\.2 .*; variables\.extra must be a string\.$/],
  ]
  const recipients = [
    good!,
    ...bad.map(([variables], at) => ({ phone: others[at]!.phone, variables })),
    { phone: others[5]!.phone, variables: { 1: 'Ana', 2: long } },
  ]
  const id = await sendBulk(tenant, recipients)
  const record = await broadcastWhen(tenant, id, 'is done', ({ status }) => status === 'completed')
  t.equal(record.failed_count, bad.length + 1, 'the simulator refuses a text longer than a message')
  const failed = await recipientsOf(tenant, id, '&status=failed')
  for (const [at, [, message]] of bad.entries()) {
    t.match(failed[at], { index: at + 1, message_id: null, error: { code: 'TEMPLATE_VARIABLE_INVALID', message } })
  }
  t.match(failed.at(-1), { index: bad.length + 1, message_id: /^msg_/ })
})

t.test('a broadcast that reached nobody has failed', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('none', ['messages.broadcast.completed', 'messages.broadcast.failed'])
  const recipients = people(130).map(({ phone }) => ({ phone }))
  const id = await sendBulk(tenant, recipients)
  const record = await broadcastWhen(tenant, id, 'failed', ({ status }) => status === 'failed')
  t.same(countsOf(record), [0, 0, 0, 0, 130])
  const [call] = await eventually('its event', () => sink.calls('none').length > 0 && sink.calls('none'))
  t.match(call!.body, { type: 'messages.broadcast.failed', data: { id, failed_count: 130 } })
})

t.test('a message that the provider refuses is counted as failed, with its reason', async (t) => {
  const tenant = await makeTenant(world)
  await world.control('POST', 'faults', {
    match: { phone_number_id: tenant.number.phone_number_id },
    error: { code: 131026 },
    times: 5,
  })
  const id = await sendBulk(tenant, people(20))
  const record = await broadcastWhen(
    tenant,
    id,
    'is answered',
    (one) => one.failed_count === 5 && one.read_count === 15,
  )
  t.same(countsOf(record), [0, 0, 0, 15, 5])
  const failed = await recipientsOf(tenant, id, '&status=failed')
  for (const { message_id, error } of failed) {
    t.equal(error.code, '131026')
    t.match(await tenant.message(message_id, 'failed'), { error })
  }
})

t.test('a repeated request under one key makes one broadcast', async (t) => {
  const tenant = await makeTenant(world)
  const call = { headers: { 'idempotency-key': 'autumn' } }
  const ask = () => tenant.api('POST', 'messages/bulk', { ...ORDER, recipients: people(3) }, call)
  const first = await ask()
  const again = await ask()
  t.equal(again.headers['idempotent-replayed'], 'true')
  t.same(again.body, first.body)
  t.equal((await tenant.api('GET', 'messages/bulk')).body.data.length, 1)
  await broadcastWhen(tenant, first.body.broadcast_id, 'is read', ({ read_count }) => read_count === 3)
  t.equal((await tenant.sent()).length, 3)
})

t.test('5000 recipients are one request of the rate limit', async (t) => {
  const tenant = await makeTenant(world, { minute: 10, hour: 1000, day: 1000 })
  const recipients = people(5000).map(({ phone }) => ({ phone }))
  const { status, headers } = await tenant.api('POST', 'messages/bulk', { ...ORDER, recipients })
  t.equal(status, 202)
  t.equal(headers['x-ratelimit-remaining-minute'], '9')
})

import t from 'tap'
import { type Answer, eventually, type Json } from './client.ts'
import { connectNumber, joinWorld, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { sink } = world

const codeOf = ({ status, body }: Answer) => [status, body.error?.code]
const hello = (fields: Json = {}) => ({ type: 'text', to: '15557000071', text: { body: 'Raw' }, ...fields })
const raw = (tenant: Tenant, payload: Json, fields: Json = {}) =>
  tenant.api('POST', 'messages/raw', { payload, ...fields })

t.test('a raw body is answered, sent and followed like any send', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('raw', ['whatsapp.message.sent', 'whatsapp.message.delivered', 'whatsapp.message.read'])
  await tenant.writes('+15557000071', 'Hi')
  const payload = {
    type: 'interactive',
    to: '+15557000071',
    interactive: {
      type: 'button',
      body: { text: 'Sure?' },
      action: { buttons: [{ type: 'reply', reply: { id: 'y', title: 'Yes' } }] },
    },
  }
  const { status, body } = await raw(tenant, payload)
  t.equal(status, 202, JSON.stringify(body))
  t.match(body, {
    id: /^msg_/,
    status: 'queued',
    channel: 'whatsapp',
    channel_id: tenant.number.channel_id,
    to: '+15557000071',
    chat_user: /^[0-9a-f]{24}$/,
    type: 'interactive',
    warnings: [],
  })
  const message = await tenant.message(body.id, 'read')
  t.match(message, { direction: 'outbound', type: 'interactive', message: payload, provider_message_id: /^wamid\./ })
  const [sent] = await tenant.sent()
  t.match(sent, { type: 'interactive', opaque_data: body.id, count: 1, body: { interactive: payload.interactive } })
  await eventually('its events', () => sink.events('raw').length === 3)
  t.ok(sink.calls('raw').every(({ body: event }) => event.data.message_id === body.id))
})

t.test('events return the biz_opaque_callback_data of the client; the provider gets our own', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('opaque', ['whatsapp.message.sent', 'whatsapp.message.read'])
  await tenant.writes('+15557000072', 'Hi')
  const { body } = await raw(tenant, hello({ to: '15557000072', biz_opaque_callback_data: 'order 7' }))
  await tenant.message(body.id, 'read')
  t.match(await tenant.sent(), [{ opaque_data: body.id }])
  await eventually('its events', () => sink.events('opaque').length === 2)
  t.same(
    sink.events('opaque').map(({ data }) => data.statuses[0].biz_opaque_callback_data),
    ['order 7', 'order 7'],
  )
})

t.test('a raw message shows the number of its recipient with a +, like any send', async (t) => {
  const tenant = await makeTenant(world)
  const { body } = await raw(tenant, hello({ to: '15557000074' }))
  t.equal(body.to, '+15557000074')
  const message = await tenant.message(body.id, 'queued', 'sent', 'delivered', 'read', 'failed')
  t.match(message, { to: '+15557000074', message: { to: '15557000074' } }, 'the body is as it was sent')
})

t.test('a raw send in doubt is settled by its callbacks and not sent twice', async (t) => {
  const tenant = await makeTenant(world)
  const own = { biz_opaque_callback_data: 'mine' }
  const { body } = await raw(tenant, hello({ to: '15550180002', ...own }))
  await tenant.message(body.id, 'read')
  t.match(await tenant.sent(), [{ count: 1 }])
  t.equal((await tenant.sent()).length, 1)
})

t.test('raw and other sends to one recipient keep their order', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.writes('+15557000073', 'Hi')
  const bodies = Array.from({ length: 10 }, (_, i) => `message ${i}`)
  for (const [i, body] of bodies.entries()) {
    const answer =
      i % 2 === 0
        ? await raw(tenant, hello({ to: '15557000073', text: { body } }))
        : await tenant.send('+15557000073', { message: { type: 'text', body } })
    t.equal(answer.status, 202)
  }
  await eventually('all are sent', async () => (await tenant.sent()).length === bodies.length)
  t.same(
    (await tenant.sent()).map(({ body }) => body.text.body),
    bodies,
  )
})

t.test('a raw message reaches a person without a number by the business-scoped id', async (t) => {
  const tenant = await makeTenant(world)
  const recipient = 'US.13491208655302741918'
  const { to: _, ...payload } = hello()
  const { status, body } = await raw(tenant, { ...payload, recipient })
  t.equal(status, 202, JSON.stringify(body))
  t.equal(body.to, recipient)
  await tenant.message(body.id, 'sent', 'delivered', 'read', 'failed')
  t.match(await tenant.sent(), [{ recipient }])
})

t.test('a raw message that the provider refuses fails like any message', async (t) => {
  const tenant = await makeTenant(world)
  const { status, body } = await raw(tenant, hello({ text: { body: '' } }))
  t.equal(status, 202)
  t.match(body.warnings, [{ code: 'WINDOW_CLOSED' }])
  t.match((await tenant.message(body.id, 'failed')).error, { code: /^\d+$/, message: String })
})

const invalid: { what: string; body: Json; path: string }[] = [
  { what: 'no payload', body: {}, path: 'payload' },
  { what: 'no type', body: { payload: { to: '15557000071' } }, path: 'payload.type' },
  { what: 'nobody to send to', body: { payload: { type: 'text' } }, path: 'payload.to' },
  { what: 'two to send to', body: { payload: hello({ recipient: 'US.1' }) }, path: 'payload.to' },
  { what: 'a number that is none', body: { payload: hello({ to: '12' }) }, path: 'payload.to' },
  { what: 'another product', body: { payload: hello({ messaging_product: 'x' }) }, path: 'payload.messaging_product' },
  { what: 'a group', body: { payload: hello({ recipient_type: 'group' }) }, path: 'payload.recipient_type' },
  { what: 'a read receipt', body: { payload: hello({ status: 'read' }) }, path: 'payload.status' },
  {
    what: 'callback data beyond the bound',
    body: { payload: hello({ biz_opaque_callback_data: 'x'.repeat(513) }) },
    path: 'payload.biz_opaque_callback_data',
  },
  { what: 'a company', body: { payload: hello(), company: 'x' }, path: 'company' },
]

t.test('a raw send that is not valid is refused', async (t) => {
  const tenant = await makeTenant(world)
  for (const { what, body, path } of invalid) {
    const answer = await tenant.api('POST', 'messages/raw', body)
    t.equal(answer.status, 400, what)
    t.same(
      answer.body.error.details?.violations.map((one: Json) => one.path),
      [path],
      what,
    )
  }
  t.same((await tenant.api('GET', 'messages')).body.data, [])
})

t.test('a raw send names the number by channel_id or phone_number_id, or uses the only one', async (t) => {
  const tenant = await makeTenant(world)
  const second = await connectNumber(world, tenant.project_id)
  t.same(codeOf(await raw(tenant, hello())), [422, 'CHANNEL_REQUIRED'])
  for (const choice of [{ channel_id: second.channel_id }, { phone_number_id: second.phone_number_id }])
    t.equal((await raw(tenant, hello(), choice)).body.channel_id, second.channel_id)
  const both = { channel_id: tenant.number.channel_id, phone_number_id: second.phone_number_id }
  t.same(codeOf(await raw(tenant, hello(), both)), [422, 'CHANNEL_NOT_FOUND'], 'the two ids must name one channel')
  const other = await makeTenant(world)
  for (const choice of [
    { channel_id: other.number.channel_id },
    { phone_number_id: other.number.phone_number_id },
    { channel_id: '0'.repeat(24) },
  ])
    t.same(codeOf(await raw(tenant, hello(), choice)), [422, 'CHANNEL_NOT_FOUND'])
  const gateway = { api_base_url: 'http://127.0.0.1:9', instance: 'x', api_key: 'k', webhook_secret: 's' }
  const fields = { project_id: tenant.project_id, name: 'QR', channel_type: 'whatsapp', provider: 'qr' }
  const qr = (await world.operator('POST', 'channels', { ...fields, credentials: gateway })).body._id
  t.same(codeOf(await raw(tenant, hello(), { channel_id: qr })), [422, 'OPERATION_NOT_SUPPORTED_FOR_CHANNEL'])
  await world.operator('PATCH', `channels/${second.channel_id}`, { is_active: false })
  t.equal((await raw(tenant, hello())).body.channel_id, tenant.number.channel_id, 'the only active channel is used')
  const off = await raw(tenant, hello(), { channel_id: second.channel_id })
  t.same(codeOf(off), [422, 'CHANNEL_NOT_CONNECTED'])
})

t.test('fifty requests at once with one key send one message', async (t) => {
  const tenant = await makeTenant(world)
  const headers = { 'idempotency-key': 'raw' }
  const ask = () => tenant.api('POST', 'messages/raw', { payload: hello({ to: '15550180000' }) }, { headers })
  const answers = await Promise.all(Array.from({ length: 50 }, ask))
  t.ok(answers.every(({ status }) => status === 202))
  t.equal(new Set(answers.map(({ text }) => text)).size, 1)
  await tenant.message(answers[0]!.body.id, 'read')
  t.equal((await tenant.sent()).length, 1)
})

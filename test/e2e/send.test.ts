import t from 'tap'
import { eventually, type Json } from './client.ts'
import { joinWorld, makeTenant, text } from './fixture.ts'

const world = await joinWorld(t)
const { sink } = world

t.test('a text is accepted and stored, and events tell its states in order', async (t) => {
  const tenant = await makeTenant(world)
  const { id: hook } = await tenant.subscribe('life', [
    'whatsapp.message.sent',
    'whatsapp.message.delivered',
    'whatsapp.message.read',
  ])
  await tenant.writes('+15557000001', 'Hi')
  const meta_data = { order: 17, nested: { list: [1, 'two', null] } }
  const hello = { channel: 'whatsapp', to: '+15557000001', message: { type: 'text', body: 'Hello' } } as const
  const body = await tenant.client.messages.send({ ...hello, meta_data })
  t.match(body, {
    id: /^msg_[0-9a-f]{24}$/,
    status: 'queued',
    channel: 'whatsapp',
    channel_id: tenant.number.channel_id,
    to: '+15557000001',
    chat_user: /^[0-9a-f]{24}$/,
    type: 'text',
    created_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  })
  t.same(body.warnings, [])
  t.same(Object.keys(body).sort(), SEND_FIELDS)
  const message = await tenant.message(body.id, 'read')
  t.match(message, { direction: 'outbound', message: text('Hello'), error: null, failed_at: null })
  t.same(message.meta_data, meta_data)
  const times = [message.created_at, message.sent_at, message.delivered_at, message.read_at]
  t.same(times, times.toSorted(), 'times in the order of the states')
  const [sent, ...more] = await tenant.sent()
  t.equal(more.length, 0)
  t.equal(sent.opaque_data, body.id)
  t.equal(sent.id, message.provider_message_id)
  // Each once: a busy node may repeat an attempt.
  const events = await eventually('three events', () => sink.events('life').length >= 3 && sink.events('life'))
  t.same(events.map(({ type }) => type).sort(), [
    'whatsapp.message.delivered',
    'whatsapp.message.read',
    'whatsapp.message.sent',
  ])
  for (const event of events) {
    t.match(event.data, { messaging_product: 'whatsapp', channel_id: body.channel_id, message_id: body.id })
    t.same(event.data.meta_data, meta_data, 'events return the meta_data of the client')
    t.equal(event.data.statuses[0].status, event.type.split('.')[2])
    t.equal(event.data.metadata.phone_number_id, tenant.number.phone_number_id)
  }
  t.equal((await tenant.deliveries(hook)).length, 3)
})

const SEND_FIELDS = ['channel', 'channel_id', 'chat_user', 'created_at', 'id', 'status', 'to', 'type', 'warnings']

const templates: { name: string; message: Json; expected: Json }[] = [
  {
    name: 'positional variables',
    message: { name: 'order_update', language: 'en_US', variables: { 1: 'Ana', 2: 'A-17' } },
    expected: [{ type: 'body', parameters: [{ text: 'Ana' }, { text: 'A-17' }] }],
  },
  {
    name: 'another language',
    message: { name: 'order_update', language: 'es', variables: { 1: 'Ana', 2: 'A-17' } },
    expected: [{ type: 'body', parameters: [{ text: 'Ana' }, { text: 'A-17' }] }],
  },
  {
    name: 'a Flow bound to its button',
    message: {
      name: 'book_visit',
      language: 'en_US',
      flow: { flow_token: 'visit-1', button_index: 0, flow_action_data: { day: 'monday' } },
    },
    expected: [
      {
        type: 'button',
        sub_type: 'flow',
        index: '0',
        parameters: [{ type: 'action', action: { flow_token: 'visit-1', flow_action_data: { day: 'monday' } } }],
      },
    ],
  },
]

for (const { name, message, expected } of templates) {
  t.test(`a template with ${name} reaches a closed window`, async (t) => {
    const tenant = await makeTenant(world)
    const known = await tenant.client.templates.list({ limit: 2 }).toArray({ limit: 200 })
    const template: Json = known.find((one) => one.name === message.name && one.language === message.language)
    t.ok(template, 'the template was synchronised')
    const variables = message.variables ?? Object.fromEntries(template.variables.map((v: Json) => [v, 'x']))
    const { status, body } = await tenant.send('+15557000002', { message: { type: 'template', ...message, variables } })
    t.equal(status, 202, JSON.stringify(body))
    t.same(body.warnings, [])
    await tenant.message(body.id, 'read')
    const [sent] = await tenant.sent()
    for (const component of expected) {
      const found = sent.body.template.components.find(({ type }: Json) => type === component.type)
      t.match(found, component)
    }
  })
}

t.test('a text into a closed window is accepted with a warning and fails', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('closed', ['whatsapp.message.failed'])
  const { status, body } = await tenant.send('+15557000003')
  t.equal(status, 202)
  t.match(body.warnings, [{ code: 'WINDOW_CLOSED', message: String }])
  const message = await tenant.message(body.id, 'failed')
  t.equal(message.error.code, '131047')
  t.ok(message.failed_at)
  const [call] = await eventually('the event', () => sink.calls('closed').length > 0 && sink.calls('closed'))
  t.equal(call!.body.type, 'whatsapp.message.failed')
  t.match(call!.body.data, { message_id: body.id, statuses: [{ status: 'failed', errors: [{ code: 131047 }] }] })
})

t.test('a message quotes another by our id or by the provider’s', async (t) => {
  const tenant = await makeTenant(world)
  const { provider_message_id } = await tenant.writes('+15557000004', 'Quote me')
  const [received, ...more] = await tenant.client.messages.list({ status: 'received' }).toArray({ limit: 9 })
  t.strictSame(more, [])
  const ours = received!.id
  for (const message_id of [ours, provider_message_id]) {
    const { body } = await tenant.send('+15557000004', { context: { message_id } })
    const message = await tenant.message(body.id, 'read')
    t.same(message.context, { message_id })
    const [sent] = await tenant.sent(`&opaque_data=${body.id}`)
    t.same(sent.body.context, { message_id: provider_message_id })
  }
})

t.test('the contact is made once for all messages to a person', async (t) => {
  const tenant = await makeTenant(world)
  const answers = await Promise.all(Array.from({ length: 20 }, () => tenant.send('+15550180000')))
  t.equal(new Set(answers.map(({ body }) => body.chat_user)).size, 1)
})

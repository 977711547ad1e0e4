import t from 'tap'
import { eventTypes } from '../../actors/mod.ts'
import { eventually } from './client.ts'
import { dataProblems } from './event_schemas.ts'
import { joinWorld, makeTenant } from './fixture.ts'

const CHANNELS = ['whatsapp', 'instagram', 'messenger', 'telegram', 'web', 'tiktok', 'email']
const CHANGING = ['whatsapp', 'instagram', 'messenger', 'telegram']
const FETCHING = ['whatsapp', 'instagram', 'messenger', 'telegram', 'tiktok', 'email']
const SHARED = ['whatsapp', 'instagram', 'messenger']
const STATES = ['received', 'sent', 'delivered', 'read', 'failed']
const TYPES = [
  ...CHANNELS.flatMap((channel) =>
    [
      ...STATES.filter((state) => channel !== 'tiktok' || state !== 'delivered').flatMap((state) =>
        state === 'received' && SHARED.includes(channel) ? [state, 'standby'] : [state],
      ),
      ...(FETCHING.includes(channel) ? ['media'] : []),
      ...(CHANGING.includes(channel) ? ['edited', 'deleted'] : []),
    ].map((state) => `${channel}.message.${state}`),
  ),
  'whatsapp.channel.connected',
  'whatsapp.channel.disconnected',
  'whatsapp.flow.response',
  'whatsapp.template.updated',
  'whatsapp.flow.updated',
  'messages.broadcast.completed',
  'messages.broadcast.failed',
  'messages.broadcast.paused',
  'messages.broadcast.resumed',
  ...['created', 'updated', 'stage_changed', 'closed', 'reopened'].map((what) => `crm.ticket.${what}`),
  'crm.contact.created',
  'crm.contact.updated',
  'crm.contact.merged',
  'crm.contact.unmerged',
  'crm.note.created',
  'crm.event.recorded',
  ...['created', 'updated', 'confirmed', 'cancelled', 'completed', 'no_show'].map(
    (what) => `scheduling.appointment.${what}`,
  ),
  'loyalty.ledger.entry_created',
  'assistant.reply.sent',
  'assistant.handed_over',
  'assistant.failed',
]

t.test('the catalogue lists every event once, with a schema its example fits', (t) => {
  t.strictSame(
    eventTypes.map(({ type }) => type),
    TYPES,
  )
  for (const { type, description, schema, example } of eventTypes) {
    t.match(description, /^[A-Z].*\.$/, `${type}: a sentence`)
    t.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema', type)
    t.strictSame(dataProblems(type, example), [], type)
    t.strictSame(dataProblems(type, { ...example, _test: true }), [], `${type} as a test`)
  }
  t.end()
})

t.test('an example is complete, and its schema refuses less and more', (t) => {
  for (const { type, schema, example } of eventTypes) {
    for (const name of schema.required as string[]) {
      const { [name]: _, ...rest } = example
      t.match(dataProblems(type, rest), [/must have required property/], `${type} without ${name}`)
    }
    t.match(dataProblems(type, { ...example, company_id: 'x' }), [/must NOT have additional properties/], type)
    t.not(dataProblems(type, { ...example, _test: false }).length, 0, `${type}: _test is true or absent`)
  }
  t.end()
})

t.test('the examples contain every field of the contract', (t) => {
  const example = (type: string) => Object.keys(eventTypes.find((one) => one.type === type)!.example)
  const ticket = eventTypes.find(({ type }) => type === 'crm.ticket.updated')!.example.ticket as object
  const fields = (text: string) => text.split(' ')
  t.same(
    new Set(Object.keys(ticket)),
    new Set(
      fields(
        '_id chat_user is_closed priority tags custom_fields created_at updated_at chat_user_name chat_user_avatar ' +
          'chat_user_channel chat_user_channel_id stage resolution category external_id assigned_to handled_by amount amount_currency ' +
          'amount_status conversation_summary closed_at version unread_count last_activity_at',
      ),
    ),
  )
  const records: [string, string][] = [
    [
      'crm.contact.created',
      '_id channel_type user_id channel_id name phone avatar custom_fields customer_id bsuid email browser send_to consent windows threads first_seen_at last_seen_at created_at updated_at',
    ],
    [
      'crm.contact.merged',
      '_id contact_id from_contact_id from_contact status reason created_by created_at undo_until undone_at',
    ],
    ['crm.note.created', '_id content type chat_user ticket_id created_by created_at attachments'],
    ['crm.event.recorded', '_id event_type data ticket_id chat_user created_at'],
    [
      'scheduling.appointment.created',
      '_id id number status modality payment_status amount currency starts_at ends_at timezone chat_user customer_id assigned_to meeting_url location reminder created_at updated_at',
    ],
    ['loyalty.ledger.entry_created', '_id membership_id kind amount balance_after ref created_at'],
    [
      'messages.broadcast.completed',
      'id status campaign_name user_id sender_name template_name language channel_id total pending_count sent_count delivered_count read_count failed_count paused_reason cost created_at started_at completed_at updated_at',
    ],
    [
      'whatsapp.flow.updated',
      'id provider_flow_id name status categories validation_errors channel_id created_at updated_at',
    ],
  ]
  for (const [type, names] of records) t.same(new Set(example(type)), new Set(fields(names)), type)
  t.end()
})

t.test('the counts of a broadcast add up', (t) => {
  for (const { type, example } of eventTypes.filter(({ type }) => type.startsWith('messages.broadcast.'))) {
    const { total, ...rest } = example as Record<string, number>
    const counts = Object.entries(rest).filter(([name]) => name.endsWith('_count'))
    t.equal(
      counts.reduce((sum, [, count]) => sum + count, 0),
      total,
      type,
    )
  }
  t.end()
})

t.test('the API lists the catalogue to tokens that may read webhooks', async (t) => {
  const world = await joinWorld(t)
  const tenant = await makeTenant(world)
  const { status, body } = await tenant.api('GET', 'webhooks/event-types')
  t.equal(status, 200)
  t.strictSame(body, { data: JSON.parse(JSON.stringify(eventTypes)), limit: 1000, offset: 0, has_more: false })
  const { project_id, user_id } = tenant
  const token = { project_id, user_id, name: 'Sender', scopes: ['messages:write'] }
  const made = await world.operator('POST', 'tokens', token)
  const refused = await tenant.api('GET', 'webhooks/event-types', undefined, { token: made.body.token })
  t.match(refused, {
    status: 403,
    body: { error: { code: 'INSUFFICIENT_SCOPE', details: { missing: ['webhooks:read'] } } },
  })
})

t.test('real events and a test of each type arrive as the catalogue says', async (t) => {
  const world = await joinWorld(t)
  const tenant = await makeTenant(world)
  const { id } = await tenant.subscribe('everything', TYPES)
  const seen = (type: string) => world.sink.calls('everything').find(({ body }) => body.type === type)?.body
  const arrives = (type: string) => eventually(type, () => seen(type))

  await tenant.writes('+15557200001', 'Hello')
  const contact = (await arrives('crm.contact.created')).data
  t.match(contact, { channel_type: 'whatsapp', user_id: '15557200001', phone: '+15557200001' })
  t.notOk('company_id' in contact)
  t.match(contact.windows, [{ channel_id: tenant.number.channel_id, is_open: true }], 'the message opens the window')
  t.equal(contact.windows.length, 1)
  t.equal((await arrives('whatsapp.message.received')).data.chat_user, contact._id)
  await tenant.send('+15557200001')
  for (const state of ['sent', 'delivered', 'read']) await arrives(`whatsapp.message.${state}`)
  // The numbers of the simulator that fail: by a callback, by the answer to the send, by refusing the access token.
  const failing = ['+15550130472', '+15550190100', '+15550190190']
  const failures = () => world.sink.calls('everything').filter(({ body }) => body.type === 'whatsapp.message.failed')
  for (const number of failing) await tenant.send(number)
  await eventually('three failures', () => failures().length === failing.length)
  await arrives('whatsapp.channel.disconnected')
  await tenant.send('+15557200001')
  await arrives('whatsapp.channel.connected')

  for (const type of TYPES) t.equal((await tenant.api('POST', `webhooks/${id}/test`, { event_type: type })).status, 202)
  await eventually('all tests', () => {
    const tests = world.sink.calls('everything').filter(({ body }) => body.data._test === true)
    return new Set(tests.map(({ body }) => body.type)).size === TYPES.length
  })
})

t.test('a contact made and changed in one turn is told alike on every attempt', async (t) => {
  const world = await joinWorld(t)
  const tenant = await makeTenant(world)
  world.sink.answer('contacts', (_, count) => (count < 2 ? 500 : 200))
  await tenant.subscribe('contacts', ['crm.contact.created'])
  await tenant.writes('+15557200003', 'Hello')
  const calls = await eventually('three attempts', () => {
    const calls = world.sink.calls('contacts')
    return calls.length === 3 && calls
  })
  t.equal(new Set(calls.map(({ raw }) => raw)).size, 1)
})

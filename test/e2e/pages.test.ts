import t from 'tap'
import { eventually, type Json } from './client.ts'
import { dataProblems } from './event_schemas.ts'
import { joinWorld, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { operator, control, base_url, simulator_url, sink } = world
const PERSON = '6543210987654321'

/** Connects an account of a channel to the project and makes it known to the simulator. */
async function connect(tenant: Tenant, channel: string, account_id: string): Promise<string> {
  const secrets = { access_token: `token ${channel}`.replace(' ', '-'), app_secret: 'secret' }
  const verify = channel === 'tiktok' ? {} : { verify_token: 'verify' }
  const credentials = { account_id, ...secrets, ...verify, api_base_url: simulator_url }
  const account = { channel, account_id, ...secrets, ...verify }
  await control('PUT', 'accounts', account)
  const { project_id } = tenant
  const { status, body } = await operator('POST', 'channels', {
    project_id,
    channel_type: channel,
    name: channel,
    provider: 'simulator',
    credentials,
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  await control('PUT', 'accounts', { ...account, webhook_url: `${base_url}/providers/${channel}/${body._id}` })
  return body._id
}

for (const [channel, account_id, last] of [
  ['instagram', '17841400008460056', 'read'],
  ['messenger', '682498302938465', 'read'],
  ['facebook', '682498302938466', 'read'],
  ['tiktok', '7215532480182469637', 'read'],
] as const)
  t.test(`a conversation on ${channel}`, async (t) => {
    const tenant = await makeTenant(world)
    const channel_id = await connect(tenant, channel, account_id)
    if (channel === 'facebook')
      await tenant.subscribe('facebook', ['messenger.message.received', 'messenger.message.sent'])
    const tiktok_events = ['received', 'sent', 'read', 'failed'].map((what) => `tiktok.message.${what}`)
    if (channel === 'tiktok') await tenant.subscribe('tiktok', tiktok_events)
    const send = async (message: Json, fields: Json = {}): Promise<Json> => {
      const answer = await tenant.api('POST', 'messages', { channel, to: PERSON, message, ...fields })
      t.equal(answer.status, 202, JSON.stringify(answer.body))
      return answer.body
    }
    const asked = await control('POST', 'inbound', { channel, account_id, from: PERSON, message: 'Is it there?' })
    t.match(asked.body, { webhook: { status: 200 } })
    const [question] = await eventually('the question is kept', async () => {
      const { body } = await tenant.api('GET', `messages?channel=${channel}`)
      return body.data.length > 0 && (body.data as Json[])
    })
    t.match(question, {
      direction: 'inbound',
      from: PERSON,
      type: 'text',
      message: { body: 'Is it there?' },
      channel_id,
    })

    const answer = await send({ type: 'text', body: 'Yes' }, { context: { message_id: question!.id } })
    t.match(await tenant.message(answer.id, last), { status: last, provider_message_id: /./, read_at: /./ })
    const { body: sent } = await control('GET', `sent?phone_number_id=${account_id}`)
    t.match(sent.data, [{ channel, recipient: PERSON, type: 'text' }])
    t.match(JSON.stringify(sent.data[0].body), asked.body.provider_message_id, 'the answer quotes the question')

    if (channel === 'facebook') {
      const types = () => sink.events('facebook').map(({ type }) => type)
      await eventually('its events are those of Messenger', () => types().length === 2)
      t.same(types().sort(), ['messenger.message.received', 'messenger.message.sent'])
      const products = sink.events('facebook').map(({ data }) => data.messaging_product)
      t.same(products, ['messenger', 'messenger'])
    }

    const long = await tenant.api('POST', 'messages', {
      channel,
      to: PERSON,
      message: { type: 'image', link: 'https://e.com/a.jpg', caption: 'A cat' },
    })
    t.match(long, {
      status: 422,
      body: { error: { code: 'MESSAGE_NOT_ACCEPTED_BY_CHANNEL', details: { channel, path: 'message.caption' } } },
    })
    await control('PUT', 'accounts/windows', { channel, recipient: PERSON, open: false })
    const late = await send({ type: 'text', body: 'Still there?' })
    t.match(await tenant.message(late.id, 'failed'), { error: { code: channel === 'tiktok' ? '40064' : '10' } })
    if (channel === 'tiktok') {
      const events = () => sink.events('tiktok')
      const types = () => [...new Set(events().map(({ type }) => type))].sort()
      await eventually('each of its message events', () => types().length === tiktok_events.length)
      t.same(types(), tiktok_events.toSorted())
      const received = events().find(({ type }) => type === 'tiktok.message.received')!
      t.match(received.data, {
        messaging_product: 'tiktok',
        messages: [{ type: 'text', text: { body: 'Is it there?' } }],
      })
      for (const { type, data } of events()) t.strictSame(dataProblems(type, data), [], type)
    }
  })

t.test('a message comes from the address that answers it, whatever phone the contact has', async (t) => {
  const tenant = await makeTenant(world)
  const account_id = '17841400008460057'
  await connect(tenant, 'instagram', account_id)
  const write = async (channel: string, from: string, fields: Json) => {
    await control('POST', 'inbound', { channel, from, message: 'Hello', ...fields })
    const { data } = (await tenant.api('GET', `messages?channel=${channel}&status=received`)).body
    return data[0] as Json
  }
  const people: [channel: string, from: string, address: string, fields: Json][] = [
    ['instagram', PERSON, PERSON, { account_id }],
    ['whatsapp', '15557300011', '+15557300011', { phone_number_id: tenant.number.phone_number_id }],
  ]
  for (const [channel, from, address, fields] of people) {
    const { chat_user } = await write(channel, from, fields)
    await tenant.api('PATCH', `contacts/${chat_user}`, { phone: '+15557300012' })
    const received = await write(channel, from, fields)
    t.match(received, { from: address, chat_user }, channel)
    const message = { type: 'text', body: 'Hi' }
    const answer = await tenant.api('POST', 'messages', { channel, to: received.from, message })
    t.match(answer, { status: 202, body: { chat_user } }, 'the answer reaches the same contact')
  }
})

t.test('buttons are answered on Instagram as on WhatsApp, and the subscriber is told', async (t) => {
  const tenant = await makeTenant(world)
  const account_id = '17841400008460099'
  await connect(tenant, 'instagram', account_id)
  await tenant.subscribe('instagram', ['instagram.message.received', 'instagram.message.read'])
  const write = (message: unknown) =>
    control('POST', 'inbound', { channel: 'instagram', account_id, from: PERSON, message })
  await write('Hello')
  const message = {
    type: 'list',
    body_text: 'When?',
    button_text: 'Days',
    sections: [{ title: 'Days', rows: [{ id: 'fri', title: 'Friday' }] }],
  }
  const { body: list } = await tenant.api('POST', 'messages', { channel: 'instagram', to: PERSON, message })
  await tenant.message(list.id, 'sent', 'read')
  const { body: sent } = await control('GET', `sent?phone_number_id=${account_id}`)
  const [reply] = sent.data[0].body.message.quick_replies
  await write({ text: reply.title, quick_reply: { payload: reply.payload } })
  const calls = await eventually('the answer is told', async () => {
    const heard = sink.calls('instagram').map(({ body }) => body)
    return heard.some((event: Json) => event.data.messages?.[0]?.type === 'interactive') && heard
  })
  const told = calls.find((event: Json) => event.data.messages?.[0]?.type === 'interactive')
  t.match(told, {
    type: 'instagram.message.received',
    data: {
      messaging_product: 'instagram',
      metadata: { account_id },
      contacts: [{ user_id: PERSON }],
      messages: [{ from: PERSON, interactive: { type: 'list_reply', list_reply: { id: 'fri', title: 'Friday' } } }],
    },
  })
})

t.test('a place has the fields of WhatsApp on every channel', async (t) => {
  const tenant = await makeTenant(world)
  await connect(tenant, 'messenger', '682498302938467')
  const coordinates = { lat: 19.4326, long: -99.1332 }
  const place = { type: 'location', title: 'Zócalo', url: 'https://maps.example.com/1', payload: { coordinates } }
  const inbound = {
    channel: 'messenger',
    account_id: '682498302938467',
    from: PERSON,
    message: { attachments: [place] },
  }
  t.match((await control('POST', 'inbound', inbound)).body, { webhook: { status: 200 } })
  const [message] = await eventually('the place is kept', async () => {
    const { body } = await tenant.api('GET', 'messages?channel=messenger')
    return body.data.length > 0 && (body.data as Json[])
  })
  const { lat: latitude, long: longitude } = coordinates
  t.strictSame(message!.message, { type: 'location', latitude, longitude, name: 'Zócalo', url: place.url })
})

t.test('a message that the provider may have accepted says that nothing will tell', async (t) => {
  const tenant = await makeTenant(world)
  await connect(tenant, 'messenger', '682498302938468')
  const recipient = '6543210987654399'
  await control('POST', 'faults', { match: { recipient }, garbage: true, times: 1 })
  const message = { type: 'text', body: 'Hello' }
  const { body } = await tenant.api('POST', 'messages', { channel: 'messenger', to: recipient, message })
  const unknown = { confirmed: false, warnings: [{ code: 'OUTCOME_UNKNOWN', message: String }], waiting: null }
  t.match(await tenant.message(body.id, 'sent'), unknown)
})

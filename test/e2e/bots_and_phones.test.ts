/** Telegram bots and phones paired by QR code, from the API to the provider and back. */
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { joinWorld, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const { control, operator, base_url, simulator_url: api_base_url, sink } = world

t.test('a bot writes, is written to, and its buttons are pressed', async (t) => {
  const tenant = await makeTenant(world)
  const bot_token = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw'
  const webhook_secret = 'a-secret_token'
  const made = await operator('POST', 'channels', {
    project_id: tenant.project_id,
    channel_type: 'telegram',
    name: 'Bot',
    provider: 'simulator',
    credentials: { bot_token, webhook_secret, api_base_url },
  })
  t.match(made, { status: 201, body: { provider_account_id: '110201543' } }, JSON.stringify(made.body))
  const webhook_url = `${base_url}/providers/telegram/${made.body._id}`
  await control('PUT', 'bots', { bot_token, webhook_secret, webhook_url })
  await tenant.subscribe('telegram', ['telegram.message.received', 'telegram.message.sent'])
  const write = async (message: unknown, fields: Json = {}) =>
    (await control('POST', 'inbound', { channel: 'telegram', from: 518273640, name: 'Ana Díaz', message, ...fields }))
      .body

  t.match(await write('Hello'), { webhook: { status: 200, body: 'OK' } })
  await eventually('its event', () => sink.events('telegram').length === 1)
  t.match(sink.calls('telegram')[0]?.body.data, {
    messaging_product: 'telegram',
    metadata: { account_id: '110201543' },
    contacts: [{ user_id: '518273640', profile: { name: 'Ana Díaz' } }],
    messages: [{ id: '518273640:1', type: 'text', text: { body: 'Hello' } }],
    channel_id: made.body._id,
  })

  const buttons = [{ id: 'yes', title: 'Yes' }]
  const message = { type: 'buttons', body_text: 'Ship it?', buttons }
  const sent = await tenant.api('POST', 'messages', { channel: 'telegram', to: '518273640', message })
  t.match(sent, { status: 202, body: { warnings: [] } })
  const { provider_message_id } = await tenant.message(sent.body.id, 'sent')
  t.match(provider_message_id, /^518273640:\d+$/)
  const pressed = await write({ callback: { message_id: provider_message_id, data: 'yes' } })
  t.equal(pressed.webhook.status, 200)
  const again = await world.http('POST', `${api_base_url}/bot${bot_token}/answerCallbackQuery`, {
    json: { callback_query_id: pressed.message.id },
  })
  t.equal(again.status, 400, 'the answer of the webhook has ended the waiting of the button')
  await eventually('the press', () => sink.events('telegram').length === 3)
  const received = sink.events('telegram').filter(({ type }) => type === 'telegram.message.received')
  t.match(received.at(-1)?.data.messages, [
    {
      type: 'interactive',
      interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
      context: { id: provider_message_id },
    },
  ])

  const long = `order-${'7'.repeat(194)}`
  const rows = [
    { id: long.replace('order', 'other'), title: 'Other' },
    { id: long, title: 'Mine' },
  ]
  const asked = [
    { type: 'buttons', body_text: 'Which one?', buttons: rows },
    { type: 'list', body_text: 'Which one?', button_text: 'Show', sections: [{ rows }] },
  ]
  for (const question of asked) {
    const kind = question.type === 'list' ? 'list_reply' : 'button_reply'
    const { body } = await tenant.api('POST', 'messages', { channel: 'telegram', to: '518273640', message: question })
    const { provider_message_id: message_id } = await tenant.message(body.id, 'sent')
    const { provider_message_id: press } = await write({ callback: { message_id, data: 'Mine' } })
    const event = await eventually(`the press on a ${question.type}`, () =>
      sink.calls('telegram').find(({ body }) => body.data.messages?.[0].id === press),
    )
    const choice = { id: long, title: 'Mine' }
    t.same(event.body.data.messages[0].interactive, { type: kind, [kind]: choice }, 'the id of 200 characters is told')
    const stored = (await tenant.api('GET', `messages/${event.body.data.message_id}`)).body
    t.same(stored.message, { type: 'interactive', interactive_type: kind, [kind]: choice }, 'and stored')
  }

  const blocked = await tenant.api('POST', 'messages', { channel: 'telegram', to: '15550190403', message })
  t.match(await tenant.message(blocked.body.id, 'failed'), { error: { code: '403', message: /blocked by the user/ } })
  const wrong = await world.http('POST', webhook_url, { json: { update_id: 1, message: {} } })
  t.equal(wrong.status, 401)
})

t.test('a paired phone writes, is written to, and is unlinked', async (t) => {
  const tenant = await makeTenant(world)
  const instance = { instance: 'shop', api_key: 'the-key' }
  const made = await operator('POST', 'channels', {
    project_id: tenant.project_id,
    channel_type: 'whatsapp',
    name: 'Phone',
    provider: 'qr',
    credentials: { ...instance, api_base_url, webhook_secret: 'a-secret' },
  })
  t.match(made, { status: 201, body: { provider_account_id: 'shop', status: 'disconnected' } })
  const channel_id = made.body._id
  const webhook_url = `${base_url}/providers/whatsapp/${channel_id}`
  const webhook_headers = { 'X-Parley-Secret': 'a-secret' }
  await control('PUT', 'instances', { ...instance, number: '5511988887777', webhook_url, webhook_headers })
  const statusOf = async () => (await operator('GET', `channels/${channel_id}`)).body
  await control('PUT', 'instances/state', { state: 'open' })
  await eventually('the phone is connected', async () => (await statusOf()).status === 'connected')

  const inbound = { channel: 'whatsapp_qr', from: '+5511999999999', name: 'Ana', message: 'Hello' }
  t.match((await control('POST', 'inbound', inbound)).body, { webhook: { status: 200 } })
  const send = (message: Json, to = '+5511999999999') =>
    tenant.api('POST', 'messages', { channel: 'whatsapp', channel_id, to, message })
  const sent = await send({ type: 'text', body: 'Hi' })
  t.match(sent, { status: 202, body: { warnings: [] } })
  const read = await tenant.message(sent.body.id, 'read')
  t.equal(read.provider_message_id, `3EB0${sent.body.id.slice(4).toUpperCase()}`)
  const { body } = await control('GET', `sent?opaque_data=${read.provider_message_id}`)
  t.equal(body.count, 1)

  const template = { type: 'template', name: 'hello_world', language: 'en_US' }
  t.match(await send(template), { status: 422, body: { error: { code: 'MESSAGE_TYPE_NOT_SUPPORTED_FOR_CHANNEL' } } })
  const missing = await send({ type: 'text', body: 'Hi' }, '+15550190404')
  t.match(await tenant.message(missing.body.id, 'failed'), { error: { code: 'not_on_whatsapp' } })

  await control('PUT', 'instances/state', { state: 'close', reason: 401 })
  await eventually('the phone is unlinked', async () => (await statusOf()).status === 'disconnected')
  t.match(await statusOf(), { status_reason: /unlinked/ })
})

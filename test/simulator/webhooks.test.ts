import { normalizeWebhook, verifySignature } from '@kapso/whatsapp-cloud-api/server'
import t from 'tap'
import { WhatsAppAPI } from 'whatsapp-api-js'
import { fixture, NUMBER, PERSON, sentId } from './fixture.ts'
import { type Json, startReceiver, until } from './receiver.ts'

const api = () => new WhatsAppAPI({ token: 'x', appSecret: NUMBER.app_secret, v: 'v25.0' })

t.test('both clients accept inbound messages and statuses of outbound ones', async (t) => {
  const { control, send, receiver } = await fixture(t)
  const injected = await control('POST', 'inbound', {
    channel: 'whatsapp',
    from: `+${PERSON}`,
    name: 'Zoë 🦊 / Müller',
    message: 'ñandú → https://example.com/a\u007fb',
    context: { message_id: 'wamid.QUOTED' },
  })
  t.match(injected, {
    status: 200,
    body: { provider_message_id: /^wamid\./, webhook: { status: 200, body: 'thanks' } },
  })
  const reply = await send(PERSON, { biz_opaque_callback_data: 'order-7' })
  t.equal(reply.status, 200)
  await until('three statuses', () => receiver.statuses().length === 3)
  for (const { raw, signature, body } of receiver.calls) {
    t.ok(verifySignature({ appSecret: NUMBER.app_secret, rawBody: raw, signatureHeader: signature }))
    t.notOk(verifySignature({ appSecret: 'another', rawBody: raw, signatureHeader: signature }))
    const client = api()
    let heard: Json
    client.on.message = (args) => {
      heard = args
    }
    client.on.status = (args) => {
      heard = args
    }
    await client.post(body, raw, signature)
    t.equal(heard.phoneID, NUMBER.phone_number_id)
  }
  const [call] = receiver.calls
  t.match(call!.raw, /^[\x20-\x7e]*$/, 'the wire is plain ASCII')
  t.match(call!.raw, /\\u00f1and\\u00fa \\u2192 https:\\\/\\\/example.com\\\/a\\u007fb/, 'escaped the way Meta does')
  t.notOk(
    verifySignature({
      appSecret: NUMBER.app_secret,
      rawBody: JSON.stringify(call!.body),
      signatureHeader: call!.signature,
    }),
  )
  t.match(call!.body, {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: NUMBER.business_account_id,
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '15557838813', phone_number_id: NUMBER.phone_number_id },
              contacts: [{ profile: { name: 'Zoë 🦊 / Müller' }, wa_id: PERSON, user_id: /^US\.\d+$/ }],
              messages: [
                {
                  from: PERSON,
                  from_user_id: /^US\.\d+$/,
                  timestamp: /^\d{10}$/,
                  type: 'text',
                  context: { id: 'wamid.QUOTED', from: '15557838813' },
                },
              ],
            },
          },
        ],
      },
    ],
  })
  const normalized = normalizeWebhook(call!.body)
  t.match(normalized.messages, [
    { text: { body: 'ñandú → https://example.com/a\u007fb' }, kapso: { direction: 'inbound' } },
  ])
  const statuses = receiver.statusesOf(sentId(reply))
  t.same(
    statuses.map((each) => each.status),
    ['sent', 'delivered', 'read'],
  )
  t.match(statuses[0], {
    recipient_id: PERSON,
    biz_opaque_callback_data: 'order-7',
    timestamp: /^\d{10}$/,
    conversation: { id: /^[0-9a-f]{32}$/, expiration_timestamp: /^\d{10}$/, origin: { type: 'service' } },
    pricing: { billable: false, pricing_model: 'PMP', category: 'service' },
  })
  t.notOk(statuses[2].pricing)
})

t.test('inbound takes whole message objects, media and people without a phone', async (t) => {
  const { control, graph, receiver, send } = await fixture(t)
  const inbound = (fields: Json) => control('POST', 'inbound', { channel: 'whatsapp', from: PERSON, ...fields })
  const flow = { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"flow_token":"f-1"}' } }
  await inbound({ message: { type: 'interactive', interactive: flow } })
  await inbound({
    message: {
      type: 'image',
      image: { caption: 'Look', data: Buffer.from('abc').toString('base64'), mime_type: 'image/jpeg' },
    },
  })
  await inbound({ from: 'US.13491208655302741918', message: 'no phone' })
  const again = await inbound({ message: 'once more', id: 'wamid.SAME', timestamp: 1700000000 })
  t.equal(again.body.provider_message_id, 'wamid.SAME')
  const [reply, image, nameless, same] = receiver.messages()
  t.match(reply, { interactive: { nfm_reply: { response_json: '{"flow_token":"f-1"}' } } })
  t.match(image, { image: { caption: 'Look', mime_type: 'image/jpeg', id: /^\d+$/ } })
  t.notOk(image.image.data)
  t.match((await graph('GET', image.image.id)).body, { file_size: 3, mime_type: 'image/jpeg' })
  t.notOk(nameless.from)
  t.equal(nameless.from_user_id, 'US.13491208655302741918')
  t.match(same, { id: 'wamid.SAME', timestamp: '1700000000' })
  const answer = await send('', { to: undefined, recipient: 'US.13491208655302741918' })
  await until('a status by user id', () => receiver.statusesOf(sentId(answer))[0]?.recipient_user_id !== undefined)
})

t.test('only a call that is not answered with 200 comes again', async (t) => {
  const { control, receiver } = await fixture(t, { webhooks: { timeout_ms: 3_000, retry_base_ms: 10 } })
  receiver.answers.push(500, 'hang', 204)
  const first = await control('POST', 'inbound', { channel: 'whatsapp', from: PERSON, message: 'persist' })
  t.match(first.body.webhook, { status: 500, error: null })
  await until('the message got through', () => receiver.messages().length === 1)
  await until('nothing is pending', () => receiver.calls.length === 1)
  const { data } = (await control('GET', 'webhooks')).body
  t.same(
    data.map((call: Json) => [call.attempt, call.status]),
    [
      [1, 500],
      [2, null],
      [3, 204],
      [4, 200],
    ],
  )
  t.match(data[1].error, /within 3000 ms/)
  t.match(data[3], { will_retry: false, events: [/^message wamid/] })
})

t.test('a retry follows a receiver that moved', async (t) => {
  const { control, receiver } = await fixture(t)
  const moved = await startReceiver(NUMBER.verify_token)
  t.teardown(moved.close)
  receiver.answers.push(...new Array(100).fill(503))
  await control('POST', 'inbound', { channel: 'whatsapp', from: PERSON, message: 'Hi' })
  await control('PUT', 'numbers', { phone_number_id: NUMBER.phone_number_id, webhook_url: moved.url })
  await until('the message at the new place', () => moved.messages().length === 1)
  t.equal(receiver.messages().length, 0)
})

t.test('several callbacks, of several numbers, come in one call when asked', async (t) => {
  const { control, send, receiver } = await fixture(t, {
    // The batch is full long before.
    webhooks: { batch_size: 6, batch_wait_ms: 60_000 },
    window: { enforced: false },
  })
  const other = { ...NUMBER, phone_number_id: '2', display_phone_number: '+1 555 000 0002', webhook_url: receiver.url }
  t.equal((await control('PUT', 'numbers', other)).status, 201)
  await control('PUT', 'numbers', { phone_number_id: '2', verified_name: 'Second' })
  const inbound = (phone_number_id: string) =>
    control('POST', 'inbound', { channel: 'whatsapp', from: PERSON, message: 'Hi', phone_number_id })
  const [, , , reply] = await Promise.all([inbound('2'), inbound('2'), inbound(NUMBER.phone_number_id), send(PERSON)])
  t.equal(receiver.calls.length, 1)
  t.match(receiver.calls[0]!.body.entry, [{ changes: [{}, {}, {}] }], 'one account, a change per number and kind')
  t.equal(receiver.messages().length, 3)
  t.equal(receiver.statusesOf(sentId(reply)).length, 3)
})

t.test('the handshake decides where callbacks go', async (t) => {
  const { control, graph, receiver } = await fixture(t)
  t.same((await control('POST', 'verify', {})).body, { verified: true, problem: null })
  const other = await startReceiver('another-token')
  t.teardown(other.close)
  const subscribe = (verify_token: string) =>
    graph('POST', `${NUMBER.business_account_id}/subscribed_apps`, { override_callback_uri: other.url, verify_token })
  t.match(await subscribe('wrong'), { status: 400, body: { error: { code: 2200, message: /HTTP Status Code = 403/ } } })
  t.same((await subscribe('another-token')).body, { success: true })
  await control('POST', 'inbound', { channel: 'whatsapp', from: PERSON, message: 'Hi' })
  t.equal(receiver.calls.length, 0)
  t.equal(other.calls.length, 1)
})

t.test('accounts get the changes of their templates and Flows', async (t) => {
  const { control, graph, receiver } = await fixture(t)
  await control('PUT', 'templates', { name: 'order_update', language: 'es', status: 'PAUSED' })
  await until('the update', () => receiver.calls.length === 1)
  t.match(receiver.calls[0]!.body.entry[0].changes, [
    {
      field: 'message_template_status_update',
      value: { event: 'PAUSED', message_template_name: 'order_update', message_template_language: 'es' },
    },
  ])
  const { body } = await graph(
    'GET',
    `${NUMBER.business_account_id}/message_templates?name=order_update&language=es&fields=status`,
  )
  t.same(body.data, [{ id: body.data[0].id, status: 'PAUSED' }])
})

import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { type SimulatorOptions, startSimulator } from '../../http/simulator/mod.ts'
import { type Json, until } from './receiver.ts'

const INSTANCE = { instance: 'shop', api_key: 'B6D711FCDE4D4FD5936544120E713976', number: '5511988887777' }
const PERSON = '5511999999999'
const JID = `${PERSON}@s.whatsapp.net`

type Reply = { status: number; body: Json }

/** Starts a gateway with one paired phone, and keeps its events. */
async function start(t: Test, options: Partial<SimulatorOptions> = {}) {
  const events: { headers: IncomingHttpHeaders; body: Json }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    events.push({ headers: request.headers, body: JSON.parse(body) })
    response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const webhook_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const simulator = await startSimulator({
    numbers: [],
    evolution: [{ ...INSTANCE, webhook_url, webhook_headers: { 'X-Parley-Secret': 'a-secret' } }],
    webhooks: { retry_base_ms: 20, in_flight: 1 },
    ...options,
    statuses: { sent_ms: 1, delivered_ms: 15, read_ms: 30, ...options.statuses },
  })
  t.teardown(async () => {
    await simulator.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const call = async (method: string, path: string, body?: Json, headers: Record<string, string> = {}) => {
    const payload = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${simulator.url}/${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...payload,
    })
    return { status: response.status, body: (await response.json()) as Json }
  }
  const api = (method: string, path: string, body?: Json): Promise<Reply> =>
    call(method, path, body, { apikey: INSTANCE.api_key })
  return {
    events,
    webhook_url,
    api,
    call,
    send: (operation: string, fields: Json) => api('POST', `message/${operation}/shop`, { number: PERSON, ...fields }),
    control: (method: string, path: string, body?: Json): Promise<Reply> => call(method, `_control/${path}`, body),
    of: (event: string) => events.filter(({ body }) => body.event === event).map(({ body }) => body.data),
  }
}

t.test('the gateway sends every type and reports each send by events', async (t) => {
  const { send, control, events, of } = await start(t)
  const media = 'https://example.com/cat.pdf'
  const contact = [{ fullName: 'Ana', wuid: '34600000000', phoneNumber: '+34600000000' }]
  const sends: [string, Json, string, Json][] = [
    ['sendText', { text: 'Hi' }, 'text', { conversation: 'Hi' }],
    ['sendMedia', { mediatype: 'image', media, caption: 'A' }, 'image', { imageMessage: { caption: 'A' } }],
    ['sendMedia', { mediatype: 'document', media }, 'document', { documentMessage: { url: media } }],
    ['sendWhatsAppAudio', { audio: media }, 'voice', { audioMessage: { ptt: true } }],
    ['sendSticker', { sticker: media }, 'sticker', { stickerMessage: {} }],
    ['sendLocation', { latitude: 1, longitude: 2 }, 'location', { locationMessage: { degreesLatitude: 1 } }],
    ['sendContact', { contact }, 'contacts', { contactMessage: { vcard: /TEL;waid=34600000000:\+34600000000/ } }],
    [
      'sendReaction',
      { key: { id: 'A1', remoteJid: JID, fromMe: false }, reaction: '👍' },
      'reaction',
      { reactionMessage: { text: '👍' } },
    ],
  ]
  for (const [operation, fields, , message] of sends) {
    const reply = await send(operation, fields)
    const key = { remoteJid: JID, fromMe: true, id: /^3EB0[0-9A-F]{18}$/ }
    t.match(reply, { status: 201, body: { key, status: 'PENDING', message } }, operation)
  }
  const { body } = await control('GET', `sent?recipient=${PERSON}`)
  t.strictSame(
    body.data.map((sent: Json) => sent.type),
    sends.map(([, , type]) => type),
  )
  await until('all events', () => of('messages.update').length === 3 * sends.length)
  t.equal(of('send.message').length, sends.length)
  const first = of('messages.update').filter(({ keyId }) => keyId === body.data[0].id)
  t.match(first, [
    { status: 'SERVER_ACK', fromMe: true, remoteJid: JID },
    { status: 'DELIVERY_ACK' },
    { status: 'READ' },
  ])
  t.match(events[0], {
    headers: { 'x-parley-secret': 'a-secret' },
    body: { instance: 'shop', sender: '5511988887777@s.whatsapp.net', apikey: INSTANCE.api_key },
  })
})

t.test('the sender may choose the id of a message', async (t) => {
  const { send, control } = await start(t)
  for (let times = 0; times < 2; times++)
    t.match(await send('sendText', { text: 'Hi', messageId: '3EB0AA' }), { body: { key: { id: '3EB0AA' } } })
  t.match((await control('GET', 'sent?opaque_data=3EB0AA')).body, { count: 2, data: [{ id: '3EB0AA', count: 2 }] })
})

t.test('the gateway refuses invalid requests', async (t) => {
  const { send, api, call, control } = await start(t)
  const refused = (status: number, message: unknown) => ({ status, body: { status, response: { message } } })
  t.match(await call('POST', 'message/sendText/shop', { number: PERSON, text: 'Hi' }), refused(401, 'Unauthorized'))
  t.match(await api('POST', 'message/sendText/other', {}), refused(404, [/"other" instance does not exist/]))
  t.match(await api('POST', 'message/sendNothing/shop', { number: PERSON }), refused(404, [/Cannot POST/]))
  t.match(await send('sendText', {}), refused(400, [[/requires property "text"/]]))
  t.match(await send('sendText', { number: '' }), refused(400, [[/requires property "number"/]]))
  t.match(
    await send('sendMedia', { mediatype: 'image', media: '.' }),
    refused(400, ['Owned media must be a url or base64']),
  )
  t.match(await send('sendMedia', { mediatype: 'document', media: 'https://e' }), refused(500, [/TypeError/]))
  t.match(await send('sendMedia', { mediatype: 'gif', media: 'https://e.com/a' }), refused(400, [[/enum/]]))
  t.match(await send('sendContact', { contact: [{ fullName: 'Ana' }] }), refused(400, [[/phoneNumber/]]))
  t.match(await send('sendReaction', { reaction: 'yes', key: {} }), refused(400, [[/requires property "id"/]]))
  t.match(await send('sendText', { number: '15550190404', text: 'Hi' }), refused(400, [{ exists: false }]))
  for (const expected of [400, 400, 201])
    t.equal(
      (await send('sendText', { number: '15550190428', text: 'Hi' })).status,
      expected,
      'Connection Closed, twice',
    )
  t.equal((await control('GET', 'sent')).body.total, 1)
})

t.test('a person writes', async (t) => {
  const { control, api, of } = await start(t)
  const write = (message: unknown, more: Json = {}) =>
    control('POST', 'inbound', { channel: 'whatsapp_qr', from: `+${PERSON}`, message, ...more })
  const { body } = await write('Hi', { name: 'Ana', context: { message_id: '3EB0AA' }, lid: '103899771998284' })
  t.match(body, { provider_message_id: /^[0-9A-F]{32}$/, webhook: { status: 200 } })
  t.match(of('messages.upsert'), [
    {
      key: { remoteJid: JID, remoteJidAlt: '103899771998284@lid', fromMe: false, id: body.provider_message_id },
      pushName: 'Ana',
      message: { conversation: 'Hi' },
      contextInfo: { stanzaId: '3EB0AA' },
      messageType: 'conversation',
    },
  ])
  const data = Buffer.from('bytes').toString('base64')
  const { body: file } = await write({ documentMessage: { fileName: 'a.pdf', data } }, { id: 'DOC1' })
  t.equal(file.message.message.documentMessage.data, undefined, 'the bytes are fetched, not sent along')
  const ask = (id: string) => api('POST', 'chat/getBase64FromMediaMessage/shop', { message: { key: { id } } })
  t.match(await ask('DOC1'), { status: 201, body: { base64: data, mimetype: 'application/pdf', fileName: 'a.pdf' } })
  t.equal((await ask('DOC2')).status, 400)
  for (const body of [{ from: PERSON }, { message: 'Hi' }, { from: PERSON, message: 'Hi', to: 'x' }])
    t.equal((await control('POST', 'inbound', { channel: 'whatsapp_qr', ...body })).status, 400)
})

t.test('the phone is unlinked and paired again', async (t) => {
  const { control, api, send, of, webhook_url } = await start(t)
  const state = async () => (await api('GET', 'instance/connectionState/shop')).body.instance.state
  t.equal(await state(), 'open')
  t.match(await api('DELETE', 'instance/logout/shop'), { body: { status: 'SUCCESS' } })
  t.equal(await state(), 'close')
  t.match(await send('sendText', { text: 'Hi' }), {
    status: 400,
    body: { response: { message: [/Connection Closed/] } },
  })
  t.match(await api('GET', 'instance/connect/shop'), { body: { code: /./, base64: /^data:image/, count: 1 } })
  const opened = await control('PUT', 'instances/state', { state: 'open' })
  t.match(opened.body, { instance: 'shop', state: 'open', api_key: undefined, webhook: { status: 200 } })
  t.match(of('connection.update'), [
    { state: 'close', statusReason: 401 },
    { state: 'open', wuid: '5511988887777@s.whatsapp.net' },
  ])
  t.match(of('qrcode.updated'), [{ qrcode: { code: /./ } }])
  const webhook = { enabled: true, url: webhook_url, headers: { 'X-Other': '1' }, events: ['MESSAGES_UPSERT'] }
  t.equal((await api('POST', 'webhook/set/shop', { webhook })).status, 201)
  t.match(await api('GET', 'webhook/find/shop'), { body: { url: webhook_url, headers: { 'X-Other': '1' } } })
})

t.test('statuses misbehave as rules and magic recipients say', async (t) => {
  const { send, control, of } = await start(t)
  const statusesOf = (id: string) =>
    of('messages.update').flatMap(({ keyId, status }) => (keyId === id ? [status] : []))
  const { body: failed } = await send('sendText', { number: '15550180016', text: 'Hi' })
  const { body: doubled } = await send('sendText', { number: '15550180011', text: 'Hi' })
  await until('failed', () => statusesOf(failed.key.id).length === 2)
  t.strictSame(statusesOf(failed.key.id), ['SERVER_ACK', 'ERROR'])
  await until('twice each', () => statusesOf(doubled.key.id).length === 6)
  const match = { channel: 'whatsapp_qr', recipient: PERSON, phone_number_id: 'shop' }
  await control('POST', 'faults', { match, error: { code: 429 }, times: 1 })
  t.equal((await send('sendText', { text: 'Hi' })).status, 429)
  t.match((await control('GET', 'instances/magic')).body.data, [{ number: '15550190404' }])
})

t.test('phones are set up by the control API', async (t) => {
  const { control } = await start(t)
  const other = { instance: 'other', api_key: 'k', number: '1555' }
  t.match(await control('PUT', 'instances', other), { status: 201, body: { state: 'open', api_key: undefined } })
  t.match(await control('PUT', 'instances', { instance: 'other', state: 'close' }), {
    status: 200,
    body: { state: 'close' },
  })
  t.match((await control('GET', 'instances')).body.data, [{ instance: 'shop' }, { instance: 'other' }])
  const wrong = [
    {},
    { instance: 'x' },
    { ...other, key: 'x' },
    { ...other, state: 'x' },
    { ...other, webhook_url: 'x' },
  ]
  for (const body of wrong) t.equal((await control('PUT', 'instances', body)).status, 400, JSON.stringify(body))
  t.equal((await control('PUT', 'instances/state', { state: 'gone' })).status, 400)
  t.equal((await control('PUT', 'instances/state', { instance: 'none', state: 'open' })).status, 404)
})

/** Requests as programs really write them: media types, marks, times, JSON in a text, searches as people type them. */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { accepts, readableAs } from '../../http/server/parse/media_types.ts'
import { hostile } from '../actors/outbound/hostile.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant, text } from '../e2e/fixture.ts'
import { ended, importUrl } from '../e2e/import_client.ts'
import { connectMcp } from '../e2e/mcp_client.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const MARK = '\ufeff'

const types: [content_type: string, is_read: boolean][] = [
  ['application/json', true],
  ['Application/JSON ; Charset="UTF-8"', true],
  ['application/json;charset=utf8', true],
  ['application/json; charset="utf8"', true],
  ['application/json; charset=us-ascii', true],
  ['application/json; charset=', true],
  ['application/json; v=2', true],
  ['application/json;odata=verbose;ieee754compatible=true', true],
  ['application/json; profile="https://example.com/a;b=c,charset=latin1"', true],
  ['application/json; note="a \\" ; charset=latin1"; charset=utf-8', true],
  ['application/json; boundary=x; charset=utf-8;', true],
  ['application/json;;', true],
  ['application/vnd.api+json; ext="x"', true],
  ['model/gltf+json', true],
  ['text/json', true],
  ['application/json; charset=latin1', false],
  ['application/json; charset=utf-16', false],
  ['application/json; charset=utf-8, text/plain', false],
  ['application/jsonp', false],
  ['text/plain', false],
  ['multipart/form-data; boundary=json', false],
  ['', false],
]

t.test('a body is JSON by its type and charset; other parameters mean nothing', (t) => {
  for (const [content_type, is_read] of types) t.equal(readableAs(content_type, ''), is_read, content_type)
  t.equal(readableAs(`application/json;${'a=";'.repeat(100_000)}`, ''), true)
  t.equal(readableAs('application/json; v=2', 'gzip'), false)
  t.end()
})

const ACCEPTS: [accept: string | undefined, json: boolean, events: boolean][] = [
  [undefined, true, true],
  ['', true, true],
  ['*/*', true, true],
  ['APPLICATION/JSON, TEXT/EVENT-STREAM', true, true],
  ['application/*, text/*', true, true],
  ['application/json;q=0.9,*/*;q=0.1', true, true],
  ['text/html, */*; q=0', false, false],
  ['*/*, text/event-stream;q=0', true, false],
  ['text/event-stream', false, true],
  ['application/json; profile="a, */*"', true, false],
  ['text/plain', false, false],
  ['application/jsonp', false, false],
]

t.test('Accept is read as RFC 9110 has it', (t) => {
  for (const [accept, json, events] of ACCEPTS) {
    t.equal(accepts(accept, 'application/json'), json, `${accept}: JSON`)
    t.equal(accepts(accept, 'text/event-stream'), events, `${accept}: events`)
  }
  t.end()
})

t.test('a byte order mark and parameters of the type change nothing, in /v1 and over MCP', async (t) => {
  const contact = JSON.stringify({ channel_type: 'web', user_id: 'm-1' })
  for (const type of ['application/json; v=2', 'application/json;charset=utf8']) {
    const headers = { 'content-type': type, 'idempotency-key': 'mark' }
    const answer = await tenant.api('POST', 'contacts', undefined, { raw: MARK + contact, headers })
    t.equal(answer.status, 201, type)
  }
  const plain = { 'content-type': 'application/json', 'idempotency-key': 'mark' }
  const turned = '{ "user_id": "m\\u002d1", "channel_type": "web" }'
  const again = await tenant.api('POST', 'contacts', undefined, { raw: turned, headers: plain })
  t.match(again, { status: 201, headers: { 'idempotent-replayed': 'true' } }, 'the same value is the same body')
  const none = await tenant.api('POST', 'contacts', undefined, { raw: contact, headers: {} })
  t.match(none, { status: 415, body: { error: { code: 'UNSUPPORTED_MEDIA_TYPE' } } })
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const headers = { 'content-type': 'application/json;charset=UTF8', accept: 'application/json' }
  const pinged = await tenant.api('POST', 'mcp', undefined, { raw: MARK + JSON.stringify(ping), headers })
  t.match(pinged, { status: 200, body: { id: 1, result: {} } })
})

t.test('an answer of MCP is in a form that the client takes', async (t) => {
  const list = { jsonrpc: '2.0', id: 'a', method: 'tools/list' }
  for (const [accept, json, events] of ACCEPTS) {
    const headers: Record<string, string> = accept === undefined ? {} : { accept }
    const { status, headers: got, text, body } = await tenant.api('POST', 'mcp', list, { headers })
    if (!json && !events) t.match({ status, body }, { status: 406, body: { error: { code: -32_000 } } }, String(accept))
    else {
      t.equal(status, 200, `${accept}: ${text.slice(0, 200)}`)
      t.match(got['content-type'], events ? /^text\/event-stream/ : /^application\/json/, String(accept))
      t.match(text, /"id":"a"/, String(accept))
      t.match(text, /"send_message"/, String(accept))
    }
  }
})

t.test('a revision that is not spoken is refused with all that are', async (t) => {
  const headers = { accept: '*/*' }
  const spoken = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
  for (const version of ['2099-01-01', 'banana', '2025-11-26']) {
    const call = { jsonrpc: '2.0', id: 5, method: 'tools/list' }
    const named = { headers: { ...headers, 'mcp-protocol-version': version } }
    const { status, body } = await tenant.api('POST', 'mcp', call, named)
    t.match({ status, body }, { status: 400, body: { id: 5, error: { code: -32_022, data: { requested: version } } } })
    t.ok(
      spoken.every((one) => body.error.data.supported.includes(one)),
      version,
    )
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const enveloped = await tenant.api('POST', 'mcp', { ...call, params: { _meta } }, named)
    t.match(enveloped, { status: 400, body: { error: { code: -32_022, data: { supported: ['2026-07-28'] } } } })
  }
  for (const version of spoken.slice(1)) {
    const call = { jsonrpc: '2.0', id: 5, method: 'tools/list' }
    const old = await tenant.api('POST', 'mcp', call, { headers: { ...headers, 'mcp-protocol-version': version } })
    t.equal(old.status, 200, version)
  }
})

t.test('an argument that is an object, a list or a number may be the text of its JSON', async (t) => {
  const client = await connectMcp(t, world, tenant)
  const call = async (name: string, sent: Json) => (await client.callTool({ name, arguments: sent })) as Json
  const to = '+15550182100'
  const good: [name: string, sent: Json][] = [
    ['send_message', { channel: 'whatsapp', to, message: JSON.stringify(text('Hi')) }],
    ['send_message', { channel: 'whatsapp', to, message: text('Hi'), meta_data: ' {"a": [1]} ' }],
    [
      'api_call',
      { operation: 'send_message', arguments: JSON.stringify({ channel: 'whatsapp', to, message: text('Hi') }) },
    ],
    [
      'api_call',
      { operation: 'create_webhook', arguments: { name: 'abc', url: world.sink.url('x'), events: '["*"]' } },
    ],
    ['search_knowledge', { query: 'opening', limit: '3' }],
  ]
  for (const [name, sent] of good) {
    const { isError, content } = await call(name, sent)
    t.notOk(isError, `${name} ${JSON.stringify(sent)}: ${content[0].text}`)
  }
  const bad: [name: string, sent: Json, reason: RegExp][] = [
    ['send_message', { channel: 'whatsapp', to, message: 'Hi' }, /message must be an object/],
    ['send_message', { channel: 'whatsapp', to, message: '{"type":"text"' }, /message must be an object/],
    [
      'send_message',
      { channel: 'whatsapp', to, message: '{"type":"text","body":"Hi"},"to":"+1"' },
      /message must be an object/,
    ],
    ['record_event', { event_type: 'custom.x', data: '{' }, /data must be an object/],
  ]
  for (const [name, sent, reason] of bad) {
    const { isError, content } = await call(name, sent)
    t.ok(isError, JSON.stringify(sent))
    t.match(content[0].text, reason)
  }
})

t.test('the letters of a time may be small', async (t) => {
  for (const time of [
    '2026-12-01t08:00:00z',
    '2026-12-01T08:00:00z',
    '2026-12-01t10:00+02:00',
    '2026-12-01t08:00:00.5Z',
  ]) {
    const { status, text } = await tenant.api('GET', `scheduling/appointments?since=${encodeURIComponent(time)}`)
    t.equal(status, 200, `${time}: ${text}`)
  }
  const webhook = await tenant.subscribe('times', ['crm.contact.created'])
  const recover = { since: '2026-01-01t00:00:00z' }
  t.equal((await tenant.api('POST', `webhooks/${webhook.id}/recover`, recover)).status, 202)
  const customer = { company_id: tenant.company_id, full_name: 'Ana', custom_fields: { born: '1990-01-02t00:00:00z' } }
  await made(
    world.operator('POST', 'custom-fields', {
      company_id: tenant.company_id,
      owner: 'customer',
      key: 'born',
      name: 'Born',
      type: 'date',
    }),
  )
  t.equal((await world.operator('POST', 'customers', customer)).status, 201)
})

t.test('people are found by a number as it is written, and by a name in either form', async (t) => {
  const { api } = await makeTenant(world)
  const add = (user_id: string, name: string) =>
    made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id, phone: `+${user_id}`, name }))
  const renee = await add('4930123456', 'Rene\u0301e Kr\u00fcger')
  const chloe = await add('5215587654321', 'Chloe\u0308 Vale')
  const found: [search: string, who: Json][] = [
    ['+52 1 55 8765-4321', chloe],
    ['+52 (1) 55 8765.4321', chloe],
    ['0052 1 5587654321', chloe],
    ['55 8765 4321', chloe],
    ['tel:+52-1-55-8765-4321', chloe],
    ['\u202a+52 1 55\u00a08765\u20134321\u202c', chloe],
    ['+49 (0) 30 123456', renee],
    ['30/123456', renee],
    ['Ren\u00e9e', renee],
    ['RENEE kruger', renee],
    ['Chlo\u00eb', chloe],
    ['chloe', chloe],
  ]
  for (const [search, who] of found) {
    const query = `search=${encodeURIComponent(search)}`
    for (const path of ['contacts', 'crm/search']) {
      const { data } = (await api('GET', `${path}?${query}`)).body
      t.same(
        data.map(({ _id, id }: Json) => _id ?? id),
        [who._id],
        `${path}: ${search}`,
      )
    }
  }
  for (const phone of ['+52 1 55 8765-4321', ' 52 55 8765 4321', '+525587654321']) {
    const { data } = (await api('GET', `contacts?phone=${encodeURIComponent(phone)}`)).body
    t.same(
      data.map(({ _id }: Json) => _id),
      [chloe._id],
      phone,
    )
  }
  for (const nobody of ['+52 1 55 8765-4322', '1 - 2', '()', '+']) {
    const { status, body } = await api('GET', `contacts?search=${encodeURIComponent(nobody)}`)
    t.match({ status, body }, { status: 200, body: { data: [] } }, nobody)
  }
})

t.test('interim answers before the final one are passed over, for webhooks, tools and imports', async (t) => {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
  const page = '<!doctype html><title>Hours</title><p>We open at nine.</p>'
  const server = await hostile((socket) => {
    socket.write(interim)
    socket.end(
      `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${page.length}\r\nconnection: close\r\n\r\n${page}`,
    )
  })
  t.teardown(() => server.close())
  const webhook = await made(
    tenant.api('POST', 'webhooks', { name: 'Interim', url: server.url, events: ['crm.contact.created'] }),
  )
  await made(tenant.api('POST', 'contacts', { channel_type: 'web', user_id: randomUUID() }))
  const [delivery] = await eventually('a delivery', async () => {
    const deliveries = await tenant.deliveries(webhook._id ?? webhook.id)
    return deliveries.some(({ status }) => status !== 'pending') && deliveries
  })
  t.match(delivery, { status: 'success', attempts: 1 })
  const tool = await made(
    tenant.api('POST', 'agents/tools', {
      name: 'hours',
      description: 'Opening hours',
      url: server.url,
      method: 'GET',
      parameters: { type: 'object', properties: {} },
    }),
  )
  t.match(await made(tenant.api('POST', `agents/tools/${tool._id}/test`, { arguments: {} })), {
    succeeded: true,
    status_code: 200,
  })
  const { _id } = await made(importUrl(tenant, server.url))
  const imported = await ended(tenant, _id)
  t.equal(imported.status, 'done', JSON.stringify(imported))
})

/** Numbers that a double does not hold: every entrance keeps their digits, or refuses them and says where they are. */
import { createHmac } from 'node:crypto'
import t from 'tap'
import { isExactNumber } from '../../actors/mod.ts'
import { parseCall } from '../../actors/providers/json.ts'
import { parseJson } from '../../http/server/parse/json.ts'
import { type Answer, eventually, type Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant, text } from '../e2e/fixture.ts'
import { connectMcp } from '../e2e/mcp_client.ts'
import { callAsProvider } from '../e2e/provider_call.ts'

const world = await joinWorld(t)

const LONG = '8514402197360028463'
/** A number of a JSON text, and what it is for us. */
const numbers: [source: string, is_exact: boolean][] = [
  ['0', true],
  ['-0', true],
  ['0.0e5', true],
  ['9007199254740991', true],
  ['9007199254740992', true],
  ['9007199254740993', false],
  ['-9007199254740993', false],
  [LONG, false],
  ['100000000000000000000', true],
  ['1E21', true],
  ['123456789012345678901234567890', false],
  ['1e999', false],
  ['-1e999', false],
  ['1e-999', false],
  ['1e-310', true],
  ['1.23456789e-320', false],
  ['0.00', true],
  ['0e999', true],
  ['1.7976931348623157e308', true],
  ['0.1', true],
  ['1.50', true],
  ['19.432607999999998', true],
  ['0.10000000000000001', true],
  ['19.432600000000001', true],
  ['0.1000000000000000055511151231257827', false],
  ['12345678901234567.5', false],
  ['1.2345678901234567e16', false],
  ['3.14159265358979323846', false],
  [`1${'0'.repeat(22)}`, true],
  [`0.${'0'.repeat(30)}1`, true],
]

t.test('a number is exact, or a violation for clients and a text of its digits from providers', (t) => {
  for (const [source, is_exact] of numbers) {
    t.equal(isExactNumber(source), is_exact, source)
    const parsed = parseJson(Buffer.from(`{"a":["x",{"b ":  ${source}\n}]}`))
    if (is_exact) t.same(parsed, { value: { a: ['x', { 'b ': Number(source) }] } }, source)
    else t.match(parsed, { violations: [{ path: 'a.1.b ', code: 'inexact_number' }] }, source)
    const called = parseCall(`{"a":[ ${source},{"b":${source}}]}`)
    const kept = is_exact ? Number(source) : source
    t.same(called, { a: [kept, { b: kept }] }, source)
  }
  t.end()
})

t.test('digits in a text are no number, and a wrong text is named as such', (t) => {
  const fine = `{"a":"1e999, ${LONG}","${LONG}":"\\"${LONG}","e":"[${LONG}"}`
  t.same(parseJson(Buffer.from(fine)), { value: JSON.parse(fine) })
  t.same(parseCall(fine), JSON.parse(fine))
  for (const wrong of [`{"a":${LONG}`, `{"a":00${LONG}}`, `{"a":${LONG}e}`, `{"a":1.2.3.4.5.6.7.8.9.0}`]) {
    t.match(parseJson(Buffer.from(wrong)), { violations: [{ code: 'malformed_json' }] }, wrong)
  }
  const many = parseJson(Buffer.from(`{"a":[${Array(500).fill(LONG).join()}]}`))
  t.equal('violations' in many && many.violations.length, 100)
  t.end()
})

t.test('an order number of 19 digits is refused with its path at every entrance of clients', async (t) => {
  const tenant = await makeTenant(world)
  const post = (path: string, raw: string) =>
    tenant.api('POST', path, undefined, { raw, headers: { 'content-type': 'application/json' } })
  const message = '"message":{"type":"text","body":"Hi"}'
  const cases: [path: string, raw: string, violation: string][] = [
    [
      'messages',
      `{"channel":"whatsapp","to":"+15550182001",${message},"meta_data":{"order":${LONG}}}`,
      'meta_data.order',
    ],
    ['contacts', `{"channel_type":"web","user_id":"n","custom_fields":{"order":${LONG}}}`, 'custom_fields.order'],
    ['crm/events', `{"event_type":"custom.x","data":{"rows":[{"id":${LONG}}]}}`, 'data.rows.0.id'],
    ['messages/raw', `{"payload":{"type":"text","to":"15550182001","context":{"n":${LONG}}}}`, 'payload.context.n'],
    [
      'messages',
      `{"channel":"whatsapp","to":"+15550182001","message":{"type":"flow","flow_action_payload":{"screen":"A","data":{"n":1e999}}}}`,
      'message.flow_action_payload.data.n',
    ],
  ]
  for (const [path, raw, violation] of cases) {
    const { status, body }: Answer = await post(path, raw)
    t.equal(status, 400, path)
    t.match(body.error.details.violations, [{ path: violation, code: 'inexact_number' }], path)
  }
  t.same((await tenant.api('GET', 'messages')).body.data, [], 'nothing was written')
  const kept = `{"channel":"whatsapp","to":"+15550182001",${message},"meta_data":{"order":"${LONG}","cents":9007199254740992}}`
  const sent = await made(post('messages', kept))
  t.same((await made(tenant.api('GET', `messages/${sent.id}`))).meta_data, { order: LONG, cents: 2 ** 53 })

  const headers = { accept: '*/*', 'content-type': 'application/json' }
  const call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"send_message","arguments":{"meta_data":{"order":${LONG}}}}}`
  const { status, body } = await tenant.api('POST', 'mcp', undefined, { raw: call, headers })
  t.match(
    { status, body },
    { status: 400, body: { error: { message: /params\.arguments\.meta_data\.order must be a number/ } } },
  )
  const client = await connectMcp(t, world, tenant)
  const asText = { channel: 'whatsapp', to: '+15550182001', message: text('Hi'), meta_data: `{"order":${LONG}}` }
  const refused = await client.callTool({ name: 'send_message', arguments: asText })
  t.match(refused, { isError: true, content: [{ text: /meta_data\.order/ }] })
})

t.test('a call of a provider keeps the digits, in the message and in the answers to a Flow', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('digits', ['whatsapp.message.received', 'whatsapp.flow.response'])
  const raw = (value: Json) => JSON.stringify(value).replaceAll(/"#(-?[\d.e]+)"/g, '$1')
  const { channel_id, app_secret, business_account_id, phone_number_id } = tenant.number
  const from = '15550182002'
  const order = {
    catalog_id: `#${LONG}`,
    product_items: [{ product_retailer_id: `#${LONG}`, quantity: 2, item_price: 15.5, note: '#1e999' }],
  }
  const messages = [{ from, id: 'wamid.order', timestamp: String(Math.floor(Date.now() / 1000)), type: 'order', order }]
  const value = { messaging_product: 'whatsapp', metadata: { phone_number_id }, contacts: [], messages }
  const body = `\ufeff${raw({ object: 'whatsapp_business_account', entry: [{ id: business_account_id, changes: [{ field: 'messages', value }] }] })}`
  const signature = `sha256=${createHmac('sha256', app_secret).update(body).digest('hex')}`
  const called = await world.http('POST', `${world.base_url}/providers/whatsapp/${channel_id}`, {
    raw: body,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature },
  })
  t.equal(called.status, 200, called.text)
  const response_json = `{"flow_token":"t","ticket":${LONG}}`
  const interactive = { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json } }
  await callAsProvider(world, tenant.number, {
    messages: [{ from, type: 'interactive', interactive, text: undefined }],
  })
  const { data } = (await tenant.api('GET', 'messages')).body
  const stored = data.find((one: Json) => one.type === 'order').message
  t.equal(stored.catalog_id, LONG)
  t.match(stored.product_items, [{ product_retailer_id: LONG, quantity: 2, note: '1e999' }])
  await eventually('three events', () => world.sink.events('digits').length === 3)
  const answer = world.sink.events('digits').find(({ type }) => type === 'whatsapp.flow.response')
  t.equal(answer?.data.response.ticket, LONG)
})

import { createHmac } from 'node:crypto'
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { connectNumber, joinWorld, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { sink, http } = world

const RECEIVED = 'whatsapp.message.received'

type Change = { phone_number_id: string; messages?: Json[]; contacts?: Json[]; statuses?: Json[] }

/** Returns the body of a call as Meta writes it. */
function callOf(changes: Change[]): string {
  const entries = changes.map(({ phone_number_id, ...rest }) => {
    const metadata = { display_phone_number: '15557831000', phone_number_id }
    const value = { messaging_product: 'whatsapp', metadata, ...rest }
    return { id: '102290129000000', changes: [{ field: 'messages', value }] }
  })
  return JSON.stringify({ object: 'whatsapp_business_account', entry: entries })
}

const sign = (raw: string, secret: string) => `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`

function message(id: string, from: string, body = 'Hi'): { messages: Json[]; contacts: Json[] } {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const contacts = [{ wa_id: from, profile: { name: 'Ana' } }]
  return { contacts, messages: [{ id, from, timestamp, type: 'text', text: { body } }] }
}

/** Calls the webhook of the tenant as Meta does. A `signature` of null leaves the header out. */
function calls(tenant: Tenant, raw: string, signature: string | null = sign(raw, tenant.number.app_secret)) {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (signature !== null) headers['x-hub-signature-256'] = signature
  return http('POST', hookOf(tenant), { raw, headers })
}

const hookOf = ({ number }: Tenant) => `${world.base_url}/providers/whatsapp/${number.channel_id}`

async function received(tenant: Tenant): Promise<Json[]> {
  return (await tenant.api('GET', 'messages?status=received&limit=200')).body.data
}

const verifications: { what: string; query(tenant: Tenant): string; status: number; body?: string }[] = [
  {
    what: 'the right token',
    query: ({ number }) =>
      `hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${encodeURIComponent(number.verify_token)}`,
    status: 200,
    body: '1158201444',
  },
  {
    what: 'a wrong token',
    query: () => 'hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=wrong',
    status: 403,
  },
  { what: 'no token', query: () => 'hub.mode=subscribe&hub.challenge=1158201444', status: 403 },
  { what: 'nothing at all', query: () => '', status: 403 },
]

t.test('the address is verified with the token of the channel', async (t) => {
  const tenant = await makeTenant(world)
  for (const { what, query, status, body } of verifications) {
    const answer = await http('GET', `${hookOf(tenant)}?${query(tenant)}`)
    t.equal(answer.status, status, what)
    if (body) t.equal(answer.text, body, what)
  }
  t.equal((await http('GET', `${world.base_url}/providers/whatsapp/${'0'.repeat(24)}`)).status, 404)
})

t.test('a call not signed with the secret of the channel is refused and writes nothing', async (t) => {
  const tenant = await makeTenant(world)
  const other = await makeTenant(world)
  await tenant.subscribe('unsigned', [RECEIVED])
  const raw = callOf([{ phone_number_id: tenant.number.phone_number_id, ...message('wamid.unsigned', '15557200001') }])
  const good = sign(raw, tenant.number.app_secret)
  const signatures: [string, string | null][] = [
    ['none', null],
    ['empty', ''],
    ['of another secret', sign(raw, other.number.app_secret)],
    ['of another body', sign(`${raw} `, tenant.number.app_secret)],
    ['without its name', good.slice('sha256='.length)],
    ['cut short', good.slice(0, -2)],
    ['of another kind', good.replace('sha256', 'sha1')],
  ]
  for (const [what, signature] of signatures) t.equal((await calls(tenant, raw, signature)).status, 401, what)
  t.same(await received(tenant), [])
  t.equal((await calls(tenant, raw)).status, 200, 'the signed call is taken')
  t.equal((await received(tenant)).length, 1)
  t.equal(sink.calls('unsigned').length <= 1, true)
})

t.test('a person who writes becomes one contact, and the open window lets a text through', async (t) => {
  const tenant = await makeTenant(world)
  for (const body of ['one', 'two'])
    t.equal((await tenant.writes('+15557200002', body, { name: 'Ana' })).webhook.status, 200)
  const all = await received(tenant)
  t.same(all.map((one) => one.message.body).sort(), ['one', 'two'])
  t.equal(new Set(all.map((one) => one.chat_user)).size, 1)
  t.match(all[0], { direction: 'inbound', status: 'received', from: '+15557200002', to: null, type: 'text' })
  const { body } = await tenant.send('+15557200002')
  t.same(body.warnings, [])
  t.equal(body.chat_user, all[0].chat_user, 'the same contact')
})

t.test(
  'a person who hides the number becomes a contact by the user id, and is the same one when it shows',
  async (t) => {
    const tenant = await makeTenant(world)
    const bsuid = 'US.13491208655302741918'
    t.equal((await tenant.writes(bsuid, 'incognito')).webhook.status, 200)
    t.equal((await tenant.writes(bsuid, 'again')).webhook.status, 200)
    t.equal((await tenant.writes('+15557200003', 'it is me', { user_id: bsuid })).webhook.status, 200)
    const all = await received(tenant)
    t.equal(all.length, 3)
    t.equal(new Set(all.map((one) => one.chat_user)).size, 1)
  },
)

t.test('a repeated call is stored and told once, also when all copies come at the same time', async (t) => {
  const tenant = await makeTenant(world)
  const { id } = await tenant.subscribe('redelivered', [RECEIVED])
  const raw = callOf([{ phone_number_id: tenant.number.phone_number_id, ...message('wamid.twice', '15557200004') }])
  const answers = await Promise.all(Array.from({ length: 30 }, () => calls(tenant, raw)))
  t.ok(answers.every(({ status }) => status === 200))
  t.equal((await calls(tenant, raw)).status, 200)
  t.equal((await received(tenant)).length, 1)
  await eventually('delivered', async () => (await tenant.deliveries(id, '&status=success')).length > 0)
  t.equal((await tenant.deliveries(id)).length, 1)
  t.equal(sink.calls('redelivered').length, 1)
})

t.test('one call may bring many messages of many people', async (t) => {
  const tenant = await makeTenant(world)
  const { id } = await tenant.subscribe('batch', [RECEIVED])
  const { phone_number_id } = tenant.number
  const changes = Array.from({ length: 20 }, (_, i) => ({
    phone_number_id,
    ...message(`wamid.batch.${i}`, `1555720${1000 + (i % 4)}`, `text ${i}`),
  }))
  // One call also repeats the same message.
  const raw = callOf([...changes, changes[3]!])
  t.equal((await calls(tenant, raw)).status, 200)
  const all = await received(tenant)
  t.equal(all.length, 20)
  t.equal(new Set(all.map((one) => one.chat_user)).size, 4)
  await eventually('delivered', async () => (await tenant.deliveries(id, '&status=success')).length === 20)
  for (const { body } of sink.calls('batch')) t.equal(body.data.messages.length, 1, 'each event has its own message')
})

t.test('numbers of one app share a call, and unknown numbers are skipped', async (t) => {
  const tenant = await makeTenant(world)
  const stranger = await makeTenant(world)
  const raw = callOf([
    { phone_number_id: '999999999', ...message('wamid.unknown', '15557200005') },
    { phone_number_id: stranger.number.phone_number_id, ...message('wamid.foreign', '15557200005') },
    { phone_number_id: tenant.number.phone_number_id, ...message('wamid.own', '15557200005') },
  ])
  t.equal((await calls(tenant, raw)).status, 200)
  t.same(
    (await received(tenant)).map((one) => one.provider_message_id),
    ['wamid.own'],
  )
  t.same(await received(stranger), [], 'another tenant gets nothing')
})

const malformed: [string, string, number][] = [
  ['no JSON', '{"object":', 400],
  ['nothing', '', 400],
  ['another object', '{"object":"page","entry":[]}', 400],
  ['a list', '[]', 400],
  ['no entries', '{"object":"whatsapp_business_account"}', 200],
  ['entries of nonsense', '{"object":"whatsapp_business_account","entry":[null,7,{"changes":"x"}]}', 200],
  [
    'a change of nonsense',
    '{"object":"whatsapp_business_account","entry":[{"changes":[{"value":{"messages":[{}],"statuses":[1]}}]}]}',
    200,
  ],
]

t.test('a signed call of unknown content is answered, and is never a fault', async (t) => {
  const tenant = await makeTenant(world)
  for (const [what, raw, status] of malformed) t.equal((await calls(tenant, raw)).status, status, what)
  t.same(await received(tenant), [])
})

t.test('types and texts of every kind are kept', async (t) => {
  const tenant = await makeTenant(world)
  const { phone_number_id } = tenant.number
  const odd = 'ñandú 🦤 \u2028 \0 \ud800 "quoted" \\slash'
  const { contacts, messages } = message('wamid.odd', '15557200006', odd)
  const raw = callOf([{ phone_number_id, contacts, messages }])
  t.equal((await calls(tenant, raw)).status, 200)
  t.equal((await tenant.writes('+15557200006', { type: 'image', image: { caption: 'Look' } })).webhook.status, 200)
  t.equal(
    (await tenant.writes('+15557200006', { type: 'location', location: { latitude: 1, longitude: 2 } })).webhook.status,
    200,
  )
  const all = await received(tenant)
  t.same(all.map((one) => one.type).sort(), ['image', 'location', 'text'])
  t.match(all.find((one) => one.type === 'image').message, { media_id: String, caption: 'Look' })
  t.equal(
    all.find((one) => one.type === 'text').message.body,
    'ñandú 🦤 \u2028 \ufffd \ufffd "quoted" \\slash',
    'what no database can hold is replaced',
  )
})

t.test('two numbers of a project keep their people apart', async (t) => {
  const tenant = await makeTenant(world)
  const second = await connectNumber(world, tenant.project_id)
  await tenant.writes('+15557200007', 'to the first')
  await tenant.writes('+15557200007', 'to the second', { phone_number_id: second.phone_number_id })
  const all = await received(tenant)
  t.same(new Set(all.map((one) => one.channel_id)), new Set([tenant.number.channel_id, second.channel_id]))
  t.equal(new Set(all.map((one) => one.chat_user)).size, 2)
})

t.test('a contact has a window for each channel, counted from the last message', async (t) => {
  const tenant = await makeTenant(world)
  const from = '+15550104242'
  await tenant.writes(from, 'Hi')
  const { body } = await tenant.send(from)
  t.same(body.warnings, [])
  const contact = await tenant.api('GET', `contacts/${body.chat_user}`)
  t.equal(contact.status, 200)
  const [window, ...others] = contact.body.windows
  t.same(others, [])
  t.match(window, { channel_id: tenant.number.channel_id, is_open: true })
  const hours = (Date.parse(window.expires_at) - Date.now()) / 3_600_000
  t.ok(hours > 23.9 && hours <= 24, `${hours} hours`)
  const stranger = await tenant.send('+15550104243')
  t.match(stranger.body.warnings, [{ code: 'WINDOW_CLOSED' }])
  t.same((await tenant.api('GET', `contacts/${stranger.body.chat_user}`)).body.windows, [])
  t.equal((await (await makeTenant(world)).api('GET', `contacts/${body.chat_user}`)).status, 404)
})

import { createHmac } from 'node:crypto'
import t from 'tap'
import { examplesOf } from '../actors/providers/examples.ts'
import { eventually, type Json } from './client.ts'
import { connectNumber, joinWorld, made, makeTenant, type Tenant } from './fixture.ts'

/** The simulator accepts messages and leaves it to the examples to tell what becomes of them. */
const HOUR_MS = 3_600_000
const statuses = { sent_ms: 5, delivered_ms: HOUR_MS, read_ms: HOUR_MS }
const world = await joinWorld(t, { statuses })
const { sink, http } = world

const DOCUMENTED_NUMBER = '106540352242922'
const DOCUMENTED_ACCOUNT = '102290129340398'
const RECEIVED = 'whatsapp.message.received'

/**
 * Returns the example as it would come to the tenant's number: with its ids, ids of its own messages, and the other
 * changes asked for.
 */
function addressed({ number, project_id }: Tenant, call: unknown, changes: Record<string, string> = {}): string {
  const raw = JSON.stringify(call)
    .replaceAll(DOCUMENTED_NUMBER, number.phone_number_id)
    .replaceAll(DOCUMENTED_ACCOUNT, number.business_account_id)
    .replaceAll('wamid.HBgLMTY1MDU1NTEyMzQVAgAS', `wamid.${project_id}`)
  return Object.entries(changes).reduce((text, [from, to]) => text.replaceAll(from, to), raw)
}

function calls({ number: { channel_id, app_secret } }: Tenant, raw: string) {
  const signature = `sha256=${createHmac('sha256', app_secret).update(raw).digest('hex')}`
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature }
  return http('POST', `${world.base_url}/providers/whatsapp/${channel_id}`, { raw, headers })
}

async function received(tenant: Tenant): Promise<Json[]> {
  return (await tenant.api('GET', 'messages?status=received&limit=200')).body.data
}

/** Returns the events at a path of the sink, each once, as soon as the subscription has nothing more to deliver. */
async function told(tenant: Tenant, subscription: Json, path: string): Promise<Json[]> {
  const is_open = ({ status }: Json) => status === 'pending'
  await eventually(`all is delivered to ${path}`, async () => !(await tenant.deliveries(subscription.id)).some(is_open))
  return sink.events(path)
}

const messagesOf = (raw: string): Json[] =>
  JSON.parse(raw).entry.flatMap(({ changes }: Json) => changes.flatMap(({ value }: Json) => value.messages ?? []))

const contact = async (tenant: Tenant, id: string) => (await tenant.api('GET', `contacts/${id}`)).body

t.test('every kind of message is stored and told once, with the fields of the API', async (t) => {
  const tenant = await makeTenant(world)
  const second = await connectNumber(world, tenant.project_id)
  const subscription = await tenant.subscribe('kinds', [RECEIVED])
  const flows = await tenant.subscribe('answers', ['whatsapp.flow.response'])
  const expected = new Map<string, Json>()
  for (const [name, call] of examplesOf('whatsapp')) {
    // The numbers of two apps share no secret, so the call is not believed about the second number.
    const raw = addressed(tenant, call, { 106540352249999: second.phone_number_id })
    for (const again of [false, true]) t.equal((await calls(tenant, raw)).status, 200, `${name}, again: ${again}`)
    for (const message of messagesOf(raw)) expected.set(message.id, message)
  }
  for (const [id, { text }] of expected) if (text?.body === 'To the second number') expected.delete(id)

  const all = await received(tenant)
  t.strictSame(all.map((one) => one.provider_message_id).sort(), [...expected.keys()].sort())
  const events = await told(tenant, subscription, 'kinds')
  t.equal(events.length, expected.size)
  t.strictSame(new Set(events.map(({ data }) => data.message_id)), new Set(all.map(({ id }) => id)))
  for (const { data } of events) {
    const { type, timestamp } = expected.get(data.messages[0].id)
    const row = all.find(({ id }) => id === data.message_id)
    t.match(data, { channel_id: tenant.number.channel_id, chat_user: row.chat_user, messages: [{ type }] }, type)
    t.match(row, { type, message: { type }, direction: 'inbound', status: 'received' })
    t.equal(row.sent_at, new Date(Number(timestamp) * 1_000).toISOString())
  }
  const of = (type: string, test = (_: Json) => true) => all.find((one) => one.type === type && test(one.message))
  t.match(of('document').message, { provider_media_id: /^\d+$/, filename: 'invoice.pdf', caption: 'The invoice' })
  t.match(of('order').message.product_items, [{ product_retailer_id: 'di9ozbzfi4', quantity: 2 }, {}])
  t.match(of('text', ({ body }) => body === 'Tell me more').message.referral, { source_type: 'ad', ctwa_clid: /^Aff/ })
  t.match(of('text', ({ body }) => body === 'Look').message, { forwarded: true })
  t.match(of('text', ({ body }) => body === 'That one').context, { message_id: /quoted==$/ })
  t.match(of('unsupported', (message) => message.unsupported_type === 'poll').message.errors, [{ code: 131051 }])

  const answers = await told(tenant, flows, 'answers')
  for (const { data } of answers) t.match(data, { message_id: /^msg_/, response: Object, messages: [Object] })
  t.strictSame(new Set(answers.map(({ data }) => data.flow_token)), new Set(['AQAAAAACS5FpgQ_cAAAAAD0QI3s.', null]))
  t.equal(answers.length, 2)
})

const DOCUMENTED_STATUS = 'wamid.HBgLMTY1MDU1NTEyMzQVAgARGBI0status=='
const FAILED = { code: /^1310(49|26)$/, message: /deliver/i }

const STATUSES: Record<string, { status: string; error?: object }> = {
  sent: { status: 'sent' },
  'sent with our data': { status: 'sent' },
  delivered: { status: 'delivered' },
  read: { status: 'read' },
  played: { status: 'read' },
  failed: { status: 'failed', error: FAILED },
  'failed with conversation and pricing': { status: 'failed', error: FAILED },
  'delivered to a person with a username': { status: 'delivered' },
  'delivered to a person without a number': { status: 'delivered' },
  'numbers without quotes': { status: 'read' },
  several: { status: 'delivered' },
  'beside a message': { status: 'delivered' },
  unknown: { status: 'sent' },
}

t.test('every kind of status moves its message, and is told once', async (t) => {
  const tenant = await makeTenant(world)
  const states = ['delivered', 'read', 'failed']
  const subscription = await tenant.subscribe(
    'statuses',
    states.map((state) => `whatsapp.message.${state}`),
  )
  const to = '+15557200101'
  await tenant.writes(to, 'Hi')
  const expected: string[] = []
  t.strictSame([...examplesOf('whatsapp_statuses').keys()], Object.keys(STATUSES))
  for (const [name, call] of examplesOf('whatsapp_statuses')) {
    const { id } = (await tenant.send(to)).body
    const { provider_message_id } = await tenant.message(id, 'sent')
    const raw = addressed(tenant, call, {
      [DOCUMENTED_STATUS]: provider_message_id,
      '"id":15550783881': `"id":"${provider_message_id}"`,
      msg_66f2a0c1d4e5f60718293a4d: id,
    })
    for (const again of [false, true]) t.equal((await calls(tenant, raw)).status, 200, `${name}, again: ${again}`)
    const { status, error = null } = STATUSES[name]!
    t.match((await tenant.api('GET', `messages/${id}`)).body, { status, error }, name)
    if (status !== 'sent') expected.push(`whatsapp.message.${status} ${id}`)
  }
  const events = await told(tenant, subscription, 'statuses')
  t.strictSame(events.map(({ type, data }) => `${type} ${data.message_id}`).sort(), expected.sort())
  const recipients = events.map(({ data }) => data.statuses[0].recipient_user_id).filter(Boolean)
  t.strictSame(recipients, ['US.13491208655302741918', 'US.13491208655302741918'])
})

t.test('a contact follows its person to a new number, and the old number belongs to somebody else', async (t) => {
  const tenant = await makeTenant(world)
  const subscription = await tenant.subscribe('moved', ['crm.contact.updated'])
  const examples = examplesOf('whatsapp')
  await calls(tenant, addressed(tenant, examples.get('text')))
  const [{ chat_user }] = await received(tenant)
  const [window] = (await contact(tenant, chat_user)).windows
  await calls(tenant, addressed(tenant, examples.get('number changed')))
  t.match(await contact(tenant, chat_user), { user_id: '12195555358', phone: '+12195555358', name: 'Sheena Nelson' })
  t.strictSame((await contact(tenant, chat_user)).windows, [window], 'the notice of the change opens no window')
  const of = async (body: string) => (await received(tenant)).find((one) => one.message.body === body)?.chat_user
  await tenant.writes('+12195555358', 'From the new number')
  await tenant.writes('+16505551234', 'From the old number')
  t.equal(await of('From the new number'), chat_user)
  t.not(await of('From the old number'), chat_user)
  t.match(await told(tenant, subscription, 'moved'), [
    { data: { _id: chat_user, user_id: '12195555358', phone: '+12195555358' } },
  ])

  await calls(tenant, addressed(tenant, examples.get('number changed'), { 'wamid.': 'wamid.again' }))
  t.match(
    await contact(tenant, await of('From the old number')),
    { phone: '+16505551234' },
    'the old number has a contact of its own',
  )
})

t.test('a number that changed into a hidden one is no longer the number of the contact', async (t) => {
  const tenant = await makeTenant(world)
  const examples = examplesOf('whatsapp')
  await calls(tenant, addressed(tenant, examples.get('username and number')))
  const [{ chat_user }] = await received(tenant)
  t.match(await contact(tenant, chat_user), { user_id: '16505551234', phone: '+16505551234' })
  await calls(tenant, addressed(tenant, examples.get('user id changed')))
  t.match(await contact(tenant, chat_user), { user_id: 'US.99999999999999999999', phone: null })
  await tenant.writes('+16505551234', 'Somebody else')
  t.equal(new Set((await received(tenant)).map((one) => one.chat_user)).size, 2)
})

t.test('a person without a number stays the same contact under a new business-scoped id', async (t) => {
  const tenant = await makeTenant(world)
  const examples = examplesOf('whatsapp')
  await calls(tenant, addressed(tenant, examples.get('username without a number')))
  const [{ chat_user }] = await received(tenant)
  t.match(await contact(tenant, chat_user), { user_id: 'US.13491208655302741918', phone: null, name: 'Pablo M.' })
  await calls(tenant, addressed(tenant, examples.get('user id changed')))
  t.match(await contact(tenant, chat_user), { user_id: 'US.99999999999999999999', phone: null })
  await tenant.writes('US.99999999999999999999', 'Still me')
  t.equal(new Set((await received(tenant)).map((one) => one.chat_user)).size, 1)
})

/** Connects another number of the tenant's account, behind the same address. */
async function secondNumber({ project_id, number }: Tenant, phone_number_id: string): Promise<string> {
  const { channel_id: _, ...shared } = number
  const credentials = { ...shared, phone_number_id }
  await made(world.control('PUT', 'numbers', { ...credentials, display_phone_number: '+15550783999' }))
  const channel = { project_id, channel_type: 'whatsapp', provider: 'simulator', name: 'Second number' }
  const api_base_url = world.simulator_url
  return (await made(world.operator('POST', 'channels', { ...channel, credentials: { ...credentials, api_base_url } })))
    ._id
}

t.test('one call brings the messages of all numbers of the app', async (t) => {
  const tenant = await makeTenant(world)
  const second = await secondNumber(tenant, '106540352249991')
  const call = examplesOf('whatsapp').get('several changes, entries and numbers')
  const raw = addressed(tenant, call, { 106540352249999: '106540352249991' })
  for (const _ of [1, 2]) t.equal((await calls(tenant, raw)).status, 200)
  t.strictSame(
    (await received(tenant)).map(({ channel_id, message }) => [channel_id, message.body]).sort(),
    [
      [tenant.number.channel_id, 'In another entry'],
      [tenant.number.channel_id, 'To the first number'],
      [second, 'To the second number'],
    ].sort(),
  )
})

/** The statuses that news of an account give its channels. Other news leave the channels as they are. */
const ACCOUNTS: Record<string, 'connected' | 'disconnected'> = {
  'account deleted': 'disconnected',
  'account reconnected': 'connected',
  'account banned': 'disconnected',
  'account reinstated': 'connected',
  'partner removed': 'disconnected',
}

t.test('news of an account make no message, and reach all numbers of that account alone', async (t) => {
  const tenant = await makeTenant(world)
  const channel_ids = [tenant.number.channel_id, await secondNumber(tenant, '106540352249992')]
  const are = async (status: string) => {
    const answers = await Promise.all(channel_ids.map((id) => world.operator('GET', `channels/${id}`)))
    return answers.every(({ body }) => body.status === status)
  }
  let before = 'connected'
  await eventually('both are connected', () => are(before))
  const examples = examplesOf('whatsapp_accounts')
  for (const [name, call] of examples) {
    t.equal((await calls(tenant, addressed(tenant, call))).status, 200, name)
    const expected = ACCOUNTS[name] ?? before
    await eventually(`${expected} after ${name}`, () => are(expected))
    before = expected
  }
  await calls(tenant, addressed(tenant, examples.get('account reconnected')))
  await eventually('both are back', () => are('connected'))
  await calls(tenant, addressed(tenant, examples.get('partner of another account removed')))
  // A channel handles its messages in order, so this call proves that the news before it left the channel connected.
  await calls(tenant, addressed(tenant, examplesOf('whatsapp').get('text')))
  t.equal((await received(tenant)).length, 1)
  t.ok(await are('connected'))
})
